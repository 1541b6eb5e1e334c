#include "model/base/status_detail.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace hydra::base {
namespace {

constexpr absl::string_view kReasonUrl = "hydra.base/reason";
constexpr absl::string_view kRetryDelayUrl = "hydra.base/retry_delay_ms";
constexpr absl::string_view kViolationPathUrl = "hydra.base/violation_path/";
constexpr absl::string_view kViolationTextUrl = "hydra.base/violation_text/";
constexpr absl::string_view kMetadataUrl = "hydra.base/metadata/";

std::optional<std::string> TextPayload(const absl::Status& status, absl::string_view url) {
  const absl::optional<absl::Cord> payload = status.GetPayload(url);
  if (!payload.has_value()) return std::nullopt;
  return std::string(*payload);
}

}  // namespace

absl::Status WithReason(absl::Status status, absl::string_view reason) {
  status.SetPayload(kReasonUrl, absl::Cord(reason));
  return status;
}

std::string ReasonOf(const absl::Status& status) {
  return TextPayload(status, kReasonUrl).value_or("");
}

absl::Status WithRetryDelay(absl::Status status, absl::Duration delay) {
  const absl::Duration rounded = absl::Ceil(delay, absl::Milliseconds(1));
  const int64_t milliseconds = std::max<int64_t>(0, absl::ToInt64Milliseconds(rounded));
  status.SetPayload(kRetryDelayUrl, absl::Cord(absl::StrCat(milliseconds)));
  return status;
}

std::optional<absl::Duration> RetryDelayOf(const absl::Status& status) {
  const std::optional<std::string> payload = TextPayload(status, kRetryDelayUrl);
  int64_t milliseconds = 0;
  if (!payload.has_value() || !absl::SimpleAtoi(*payload, &milliseconds)) {
    return std::nullopt;
  }
  return absl::Milliseconds(milliseconds);
}

absl::Status WithFieldViolations(absl::Status status,
                                 const std::vector<FieldViolation>& violations) {
  for (size_t i = 0; i < kMaxFieldViolations; ++i) {
    const std::string path_url = absl::StrCat(kViolationPathUrl, i);
    const std::string text_url = absl::StrCat(kViolationTextUrl, i);
    if (i < violations.size()) {
      status.SetPayload(path_url, absl::Cord(violations[i].path));
      status.SetPayload(text_url, absl::Cord(violations[i].description));
    } else {
      status.ErasePayload(path_url);
      status.ErasePayload(text_url);
    }
  }
  return status;
}

std::vector<FieldViolation> FieldViolationsOf(const absl::Status& status) {
  std::vector<FieldViolation> violations;
  while (true) {
    const size_t i = violations.size();
    const std::optional<std::string> path = TextPayload(status, absl::StrCat(kViolationPathUrl, i));
    const std::optional<std::string> text = TextPayload(status, absl::StrCat(kViolationTextUrl, i));
    if (!path.has_value() || !text.has_value()) return violations;
    violations.push_back({*path, *text});
  }
}

absl::Status WithMetadata(absl::Status status, absl::string_view key, absl::string_view value) {
  status.SetPayload(absl::StrCat(kMetadataUrl, key), absl::Cord(value));
  return status;
}

std::map<std::string, std::string> MetadataOf(const absl::Status& status) {
  std::map<std::string, std::string> metadata;
  status.ForEachPayload([&metadata](absl::string_view url, const absl::Cord& value) {
    if (absl::ConsumePrefix(&url, kMetadataUrl)) metadata.emplace(url, value);
  });
  return metadata;
}

}  // namespace hydra::base
