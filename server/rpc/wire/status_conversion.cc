#include "server/rpc/wire/status_conversion.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "google/rpc/error_details.pb.h"
#include "model/base/status_detail.h"

namespace hydra::rpc {
namespace {

constexpr char kDomain[] = "hydra.dev";
constexpr char kPushbackTrailer[] = "grpc-retry-pushback-ms";

// The message travels twice (percent-encoded and in the details), the details in base64: with these
// caps the worst case is (2 * 512 + 16 * (72 + 112) + 8 * (32 + 128)) * 4/3 + framing < 8 kB.
constexpr size_t kMaxMessage = 512;
constexpr size_t kMaxPath = 72;
constexpr size_t kMaxDescription = 112;
constexpr size_t kMaxMetadata = 8;
constexpr size_t kMaxMetadataKey = 32;
constexpr size_t kMaxMetadataValue = 128;

// Printable ASCII also keeps proto3 strings valid UTF-8 where a cut would split a character.
std::string Printable(absl::string_view text, size_t max_bytes) {
  std::string printable(text.substr(0, max_bytes));
  for (char& c : printable) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return printable;
}

void AddErrorInfo(const absl::Status& status, google::rpc::Status& wire) {
  google::rpc::ErrorInfo info;
  const std::string reason = base::ReasonOf(status);
  info.set_reason(reason.empty() ? absl::StatusCodeToString(status.code()) : reason);
  info.set_domain(kDomain);
  size_t count = 0;
  for (const auto& [key, value] : base::MetadataOf(status)) {
    if (++count > kMaxMetadata) break;
    (*info.mutable_metadata())[Printable(key, kMaxMetadataKey)] =
        Printable(value, kMaxMetadataValue);
  }
  wire.add_details()->PackFrom(info);
}

void AddBadRequest(const absl::Status& status, google::rpc::Status& wire) {
  google::rpc::BadRequest bad_request;
  for (const base::FieldViolation& violation : base::FieldViolationsOf(status)) {
    auto& added = *bad_request.add_field_violations();
    added.set_field(Printable(violation.path, kMaxPath));
    added.set_description(Printable(violation.description, kMaxDescription));
  }
  if (bad_request.field_violations_size() > 0) wire.add_details()->PackFrom(bad_request);
}

void AddRetryInfo(const absl::Status& status, google::rpc::Status& wire) {
  const std::optional<absl::Duration> delay = base::RetryDelayOf(status);
  if (!delay) return;
  google::rpc::RetryInfo retry;
  absl::Duration rest = *delay;
  retry.mutable_retry_delay()->set_seconds(absl::IDivDuration(rest, absl::Seconds(1), &rest));
  retry.mutable_retry_delay()->set_nanos(static_cast<int>(absl::ToInt64Nanoseconds(rest)));
  wire.add_details()->PackFrom(retry);
}

}  // namespace

google::rpc::Status ToRpcStatus(const absl::Status& status) {
  google::rpc::Status wire;
  wire.set_code(static_cast<int>(status.code()));
  if (status.ok()) return wire;
  wire.set_message(Printable(status.message(), kMaxMessage));
  AddErrorInfo(status, wire);
  AddBadRequest(status, wire);
  AddRetryInfo(status, wire);
  return wire;
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const google::rpc::Status wire = ToRpcStatus(status);
  return grpc::Status(static_cast<grpc::StatusCode>(wire.code()), wire.message(),
                      wire.SerializeAsString());
}

void AddRetryPushback(const absl::Status& status, grpc::ServerContextBase& context) {
  if (!absl::IsResourceExhausted(status)) return;
  const std::optional<absl::Duration> delay = base::RetryDelayOf(status);
  if (!delay) return;
  context.AddTrailingMetadata(kPushbackTrailer, absl::StrCat(absl::ToInt64Milliseconds(*delay)));
}

}  // namespace hydra::rpc
