// What a caller may act on beyond the code: a stable reason, and when to come back.  Carried in
// absl::Status payloads, so that the layers between the cause and the wire need not know about it.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace hydra::base {

// `reason`: UPPER_SNAKE, at most 63 characters, as google.rpc.ErrorInfo asks.  No effect on OK.
absl::Status WithReason(absl::Status status, absl::string_view reason);
// Empty when none was set.
std::string ReasonOf(const absl::Status& status);

// Milliseconds resolution, rounded up; negative delays count as zero.  No effect on OK.
absl::Status WithRetryDelay(absl::Status status, absl::Duration delay);
// Unset when a retry does not help.
std::optional<absl::Duration> RetryDelayOf(const absl::Status& status);

}  // namespace hydra::base
