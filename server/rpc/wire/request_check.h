// Checks that requests of every service share.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hydra::rpc {

inline constexpr size_t kMaxRequestIdBytes = 128;

// INVALID_ARGUMENT `reason` with one violation: "instances: got 0, want 1..32".
absl::Status WrongField(absl::string_view path, absl::string_view reason,
                        absl::string_view problem);

// Ids go into logs and headers: at most kMaxRequestIdBytes of printable ASCII.
// Errors: INVALID_ARGUMENT BAD_REQUEST_ID.
absl::Status CheckRequestId(absl::string_view id, absl::string_view path);

}  // namespace hydra::rpc
