#include "server/rpc/wire/status_conversion.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"

namespace hydra::rpc {
namespace {

template <typename Detail>
std::vector<Detail> DetailsOf(const google::rpc::Status& status) {
  std::vector<Detail> found;
  for (const auto& any : status.details()) {
    Detail detail;
    if (any.UnpackTo(&detail)) found.push_back(detail);
  }
  return found;
}

TEST(ToRpcStatusTest, EveryError_CarriesErrorInfo) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "message");
    const google::rpc::Status wire = ToRpcStatus(status);
    EXPECT_EQ(wire.code(), code);
    EXPECT_EQ(wire.message(), "message");
    const auto infos = DetailsOf<google::rpc::ErrorInfo>(wire);
    ASSERT_EQ(infos.size(), 1u);
    EXPECT_EQ(infos[0].domain(), "hydra.dev");
    EXPECT_EQ(infos[0].reason(), absl::StatusCodeToString(status.code()));
    EXPECT_EQ(wire.details_size(), 1);
  }
}

TEST(ToRpcStatusTest, Ok_CarriesNothing) {
  EXPECT_EQ(ToRpcStatus(absl::OkStatus()).ByteSizeLong(), 0u);
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
}

TEST(ToRpcStatusTest, Details_BecomeTheirMessages) {
  absl::Status status = base::WithReason(absl::ResourceExhaustedError("full"), "QUEUE_FULL");
  status = base::WithRetryDelay(std::move(status), absl::Milliseconds(1250));
  status = base::WithMetadata(std::move(status), "limit", "7");
  status = base::WithFieldViolations(std::move(status), {{"instances[3].image", "not an image"}});
  const google::rpc::Status wire = ToRpcStatus(status);
  const auto info = DetailsOf<google::rpc::ErrorInfo>(wire);
  ASSERT_EQ(info.size(), 1u);
  EXPECT_EQ(info[0].reason(), "QUEUE_FULL");
  EXPECT_EQ(info[0].metadata().at("limit"), "7");
  const auto bad = DetailsOf<google::rpc::BadRequest>(wire);
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_EQ(bad[0].field_violations(0).field(), "instances[3].image");
  EXPECT_EQ(bad[0].field_violations(0).description(), "not an image");
  const auto retry = DetailsOf<google::rpc::RetryInfo>(wire);
  ASSERT_EQ(retry.size(), 1u);
  EXPECT_EQ(retry[0].retry_delay().seconds(), 1);
  EXPECT_EQ(retry[0].retry_delay().nanos(), 250'000'000);
}

TEST(ToGrpcStatusTest, HostileText_FitsIntoHeadersAndStaysAscii) {
  const std::string long_text(100'000, '\xff');
  std::vector<base::FieldViolation> violations(40, {long_text, long_text});
  absl::Status status =
      base::WithFieldViolations(absl::InvalidArgumentError(long_text), violations);
  for (int i = 0; i < 30; ++i) {
    status = base::WithMetadata(std::move(status), absl::StrCat(i, long_text), long_text);
  }
  const grpc::Status wire = ToGrpcStatus(status);
  // '?' is not percent-encoded; the details travel in base64.
  EXPECT_LT(wire.error_message().size() + wire.error_details().size() * 4 / 3, 8192u);
  for (const char c : wire.error_message()) ASSERT_EQ(c, '?');
  google::rpc::Status parsed;
  ASSERT_TRUE(parsed.ParseFromString(wire.error_details()));
  const auto bad = DetailsOf<google::rpc::BadRequest>(parsed);
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_EQ(bad[0].field_violations_size(), static_cast<int>(base::kMaxFieldViolations));
}

}  // namespace
}  // namespace hydra::rpc
