#include "client/cpp/status_from_grpc.h"

#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "google/protobuf/any.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "model/base/status_detail.h"

namespace hydra::client {
namespace {

absl::StatusCode CodeFromGrpc(grpc::StatusCode code) {
  const int value = static_cast<int>(code);
  const bool known = value >= 0 && value <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  return known ? static_cast<absl::StatusCode>(value) : absl::StatusCode::kUnknown;
}

absl::Status WithErrorInfo(absl::Status status, const google::rpc::ErrorInfo& info) {
  status = base::WithReason(std::move(status), info.reason());
  for (const auto& [key, value] : info.metadata()) {
    status = base::WithMetadata(std::move(status), key, value);
  }
  return status;
}

absl::Status WithBadRequest(absl::Status status, const google::rpc::BadRequest& bad) {
  std::vector<base::FieldViolation> violations;
  for (const auto& violation : bad.field_violations()) {
    violations.push_back({violation.field(), violation.description()});
  }
  return base::WithFieldViolations(std::move(status), violations);
}

absl::Status WithRetryInfo(absl::Status status, const google::rpc::RetryInfo& retry) {
  const absl::Duration delay =
      absl::Seconds(retry.retry_delay().seconds()) + absl::Nanoseconds(retry.retry_delay().nanos());
  if (!retry.has_retry_delay() || delay < absl::ZeroDuration()) return status;
  return base::WithRetryDelay(std::move(status), delay);
}

absl::Status WithDetail(absl::Status status, const google::protobuf::Any& detail) {
  if (google::rpc::ErrorInfo info; detail.UnpackTo(&info)) {
    return WithErrorInfo(std::move(status), info);
  }
  if (google::rpc::BadRequest bad; detail.UnpackTo(&bad)) {
    return WithBadRequest(std::move(status), bad);
  }
  if (google::rpc::RetryInfo retry; detail.UnpackTo(&retry)) {
    return WithRetryInfo(std::move(status), retry);
  }
  return status;
}

}  // namespace

absl::Status StatusFromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  absl::Status converted(CodeFromGrpc(status.error_code()), status.error_message());
  google::rpc::Status wire;
  if (wire.ParseFromString(status.error_details())) {
    for (const google::protobuf::Any& detail : wire.details()) {
      converted = WithDetail(std::move(converted), detail);
    }
  }
  return converted;
}

absl::Status StatusOfUncancelledCall(const grpc::Status& status) {
  // gRPC resets a call with CANCELLED when it reaches a server in the instant of its shutdown.
  if (status.error_code() == grpc::StatusCode::CANCELLED && status.error_details().empty()) {
    return absl::UnavailableError("the server cut the call off while closing");
  }
  return StatusFromGrpc(status);
}

}  // namespace hydra::client
