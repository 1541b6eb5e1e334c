#include "model/base/status_detail.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace hydra::base {
namespace {

constexpr absl::string_view kReasonUrl = "hydra.base/reason";
constexpr absl::string_view kRetryDelayUrl = "hydra.base/retry_delay_ms";

}  // namespace

absl::Status WithReason(absl::Status status, absl::string_view reason) {
  status.SetPayload(kReasonUrl, absl::Cord(reason));
  return status;
}

std::string ReasonOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kReasonUrl);
  return payload.has_value() ? std::string(*payload) : std::string();
}

absl::Status WithRetryDelay(absl::Status status, absl::Duration delay) {
  const absl::Duration rounded = absl::Ceil(delay, absl::Milliseconds(1));
  const int64_t milliseconds = std::max<int64_t>(0, absl::ToInt64Milliseconds(rounded));
  status.SetPayload(kRetryDelayUrl, absl::Cord(absl::StrCat(milliseconds)));
  return status;
}

std::optional<absl::Duration> RetryDelayOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kRetryDelayUrl);
  int64_t milliseconds = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(std::string(*payload), &milliseconds)) {
    return std::nullopt;
  }
  return absl::Milliseconds(milliseconds);
}

}  // namespace hydra::base
