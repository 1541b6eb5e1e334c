// Gzip streams in memory.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::data {

// The contents of `bytes` if they start like a gzip stream, else `bytes` as they are.  `file` names
// them in errors.  Errors: INVALID_ARGUMENT a damaged or truncated stream or bytes behind it;
// RESOURCE_EXHAUSTED more than `max_bytes` of contents.
absl::StatusOr<std::string> MaybeGunzip(std::string bytes, size_t max_bytes,
                                        absl::string_view file);

}  // namespace hydra::data
