// What a caller may act on beyond the code: a stable reason, when to come back, which fields were
// wrong, and the numbers of the message.  Carried in absl::Status payloads, so that the layers
// between the cause and the wire need not know about it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

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

// One wrong field of a request: `path` as in "instances[3].image".
struct FieldViolation {
  std::string path;
  std::string description;

  bool operator==(const FieldViolation&) const = default;
};

// At most kMaxFieldViolations are kept, the first ones: the details must fit into a header.
inline constexpr size_t kMaxFieldViolations = 16;

// Replaces the violations that were set before.  No effect on OK.
absl::Status WithFieldViolations(absl::Status status,
                                 const std::vector<FieldViolation>& violations);
std::vector<FieldViolation> FieldViolationsOf(const absl::Status& status);

// Whatever varies in the message, under a lower_snake `key`.  No effect on OK.
absl::Status WithMetadata(absl::Status status, absl::string_view key, absl::string_view value);
std::map<std::string, std::string> MetadataOf(const absl::Status& status);

}  // namespace hydra::base
