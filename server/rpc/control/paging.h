// Pages of a list (AIP-158).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace hydra::rpc {

struct Page {
  size_t begin = 0;
  size_t end = 0;          // exclusive
  std::string next_token;  // empty at the end
};

// `size` 0 means 50; `token` is a next_token or empty; the list has `total` items.
// Errors: INVALID_ARGUMENT BAD_PAGE a size above 1000, or a token that was not given out.
absl::StatusOr<Page> FindPage(uint32_t size, const std::string& token, size_t total);

}  // namespace hydra::rpc
