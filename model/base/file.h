// Whole-file reads and writes that survive a kill at any instant.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::base {

// Errors: NOT_FOUND no such file; FAILED_PRECONDITION not a regular file; RESOURCE_EXHAUSTED larger
// than `max_bytes`; INTERNAL any other system error.  Each message names the path.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes);

// Between the path and the process id in the name of WriteFileAtomically's temporary file.
inline constexpr char kTemporaryInfix[] = ".tmp.";

// Writes beside `path`, fsyncs, renames over `path` and fsyncs the directory: readers see the old
// or the new contents, never a mixture.  Errors: INTERNAL with the system's reason.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view contents);

// Fsyncs a file or directory that other code wrote.  Errors: INTERNAL.
absl::Status SyncPath(const std::string& path);

}  // namespace hydra::base
