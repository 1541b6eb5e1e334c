// Addresses such as "127.0.0.1:8001", "[::1]:8001" and "localhost:0".
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::config {

struct HostPort {
  std::string host;   // without brackets, not empty
  uint16_t port = 0;  // 0: the system's choice
};

// Errors: INVALID_ARGUMENT with the text and what was wanted.
absl::StatusOr<HostPort> ParseHostPort(absl::string_view text);

}  // namespace hydra::config
