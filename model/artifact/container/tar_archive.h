// A bundle as one uncompressed tar file, read in memory and never extracted.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/container/file_map.h"

namespace hydra::artifact::container {

// Reads POSIX ustar and GNU archives of regular files and folders, with paths relative to the
// bundle ("./" in front is dropped).  Pax headers are skipped when they change neither path nor
// size.  Copies each file's bytes.  Errors: INVALID_ARGUMENT links, special files, a wrong
// checksum, a path twice, paths that CheckPath refuses, a truncated archive or bytes after its end;
// RESOURCE_EXHAUSTED above a limit.
absl::StatusOr<FileMap> ParseTar(absl::string_view archive, const ReadLimits& limits);

// A ustar archive in the order of the paths; times and owners are 0, so equal files make equal
// bytes.  Errors: INVALID_ARGUMENT a path that CheckPath refuses or a file of 8 GiB or more.
absl::StatusOr<std::string> EncodeTar(const FileMap& files);

}  // namespace hydra::artifact::container
