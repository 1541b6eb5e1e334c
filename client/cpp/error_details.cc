#include "client/cpp/error_details.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/any.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace hydra::client {
namespace {

constexpr absl::string_view kTypePrefix = "type.googleapis.com/";

absl::StatusCode CodeFromGrpc(grpc::StatusCode code) {
  const int value = static_cast<int>(code);
  const bool known = value >= 0 && value <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  return known ? static_cast<absl::StatusCode>(value) : absl::StatusCode::kUnknown;
}

// True and fills `detail` when `status` carries a well-formed one of its type.
template <typename Detail>
bool Read(const absl::Status& status, Detail& detail) {
  const auto payload =
      status.GetPayload(absl::StrCat(kTypePrefix, Detail::descriptor()->full_name()));
  return payload.has_value() && detail.ParseFromString(std::string(*payload));
}

}  // namespace

absl::Status StatusFromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status converted(CodeFromGrpc(status.error_code()), status.error_message());
  google::rpc::Status wire;
  if (wire.ParseFromString(status.error_details())) {
    for (const google::protobuf::Any& detail : wire.details()) {
      converted.SetPayload(detail.type_url(), absl::Cord(detail.value()));
    }
  }
  return converted;
}

ErrorDetails DetailsOf(const absl::Status& status) {
  ErrorDetails details;
  if (google::rpc::ErrorInfo info; Read(status, info)) {
    details.reason = info.reason();
    details.domain = info.domain();
    details.metadata.insert(info.metadata().begin(), info.metadata().end());
  }
  if (google::rpc::BadRequest bad; Read(status, bad)) {
    for (const auto& violation : bad.field_violations()) {
      details.violations.push_back({violation.field(), violation.description()});
    }
  }
  if (google::rpc::RetryInfo retry; Read(status, retry) && retry.has_retry_delay()) {
    const absl::Duration delay = absl::Seconds(retry.retry_delay().seconds()) +
                                 absl::Nanoseconds(retry.retry_delay().nanos());
    if (delay >= absl::ZeroDuration()) details.retry_delay = delay;  // negative: do not retry
  }
  return details;
}

}  // namespace hydra::client
