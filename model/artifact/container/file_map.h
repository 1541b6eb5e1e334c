// A bundle's files in memory, and the limits under which they are read.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hydra::artifact::container {

using FileMap = std::map<std::string, std::string>;  // path inside the bundle -> bytes

struct ReadLimits {
  size_t max_file_bytes = size_t{16} << 30;
  size_t max_total_bytes = size_t{32} << 30;
  size_t max_files = 64;
};

// A relative path of one to four parts of [A-Za-z0-9._-], none of them "." or "..".
// Errors: INVALID_ARGUMENT, naming the path.
absl::Status CheckPath(absl::string_view path);

}  // namespace hydra::artifact::container
