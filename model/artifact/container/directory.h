// A bundle as a directory: reading without following links, writing whole or not at all.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/artifact/container/file_map.h"

namespace hydra::artifact::container {

// Reads every regular file below `path`, which may itself be a link.  Errors: NOT_FOUND no such
// directory; INVALID_ARGUMENT a symbolic link, a special file or a name that CheckPath refuses;
// RESOURCE_EXHAUSTED above a limit; INTERNAL the system's reason.
absl::StatusOr<FileMap> ReadDirectory(const std::string& path, const ReadLimits& limits);

// Writes `files` to a temporary directory beside `path`, fsyncs every file and folder, renames and
// fsyncs the parent.  A failure leaves nothing behind.  Errors: ALREADY_EXISTS `path` exists;
// INVALID_ARGUMENT as CheckPath; INTERNAL the system's reason.
absl::Status WriteDirectory(const FileMap& files, const std::string& path);

}  // namespace hydra::artifact::container
