#include "client/cpp/status_from_grpc.h"

#include <string>

#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"

namespace hydra::client {
namespace {

grpc::Status WithDetails(grpc::StatusCode code, const google::rpc::Status& wire) {
  return grpc::Status(code, "refused", wire.SerializeAsString());
}

TEST(StatusFromGrpcTest, EveryDetail_ArrivesTyped) {
  google::rpc::ErrorInfo info;
  info.set_reason("BAD_INSTANCE");
  info.set_domain("hydra");
  (*info.mutable_metadata())["limit"] = "64";
  google::rpc::BadRequest bad;
  auto* violation = bad.add_field_violations();
  violation->set_field("instances[3].image");
  violation->set_description("not a JPEG or PNG");
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_nanos(250'000'000);
  google::rpc::Status wire;
  wire.add_details()->PackFrom(info);
  wire.add_details()->PackFrom(bad);
  wire.add_details()->PackFrom(retry);

  const absl::Status status = StatusFromGrpc(WithDetails(grpc::StatusCode::INVALID_ARGUMENT, wire));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "refused");
  EXPECT_EQ(base::ReasonOf(status), "BAD_INSTANCE");
  EXPECT_EQ(base::MetadataOf(status).at("limit"), "64");
  EXPECT_THAT(base::FieldViolationsOf(status), ::testing::ElementsAre(base::FieldViolation{
                                                   "instances[3].image", "not a JPEG or PNG"}));
  EXPECT_EQ(base::RetryDelayOf(status), absl::Milliseconds(250));
}

TEST(StatusFromGrpcTest, Ok_StaysOk) { EXPECT_TRUE(StatusFromGrpc(grpc::Status::OK).ok()); }

TEST(StatusFromGrpcTest, GarbageDetails_KeepCodeAndMessage) {
  const absl::Status status = StatusFromGrpc(
      grpc::Status(grpc::StatusCode::ABORTED, "etag", std::string("\xff\x01garbage")));
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(status.message(), "etag");
  EXPECT_EQ(base::ReasonOf(status), "");
}

TEST(StatusFromGrpcTest, DetailThatDoesNotParse_IsLeftOut) {
  google::rpc::Status wire;
  auto* detail = wire.add_details();
  detail->set_type_url("type.googleapis.com/google.rpc.RetryInfo");
  detail->set_value("\xff\xff\xff");
  const absl::Status status = StatusFromGrpc(WithDetails(grpc::StatusCode::UNAVAILABLE, wire));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(base::RetryDelayOf(status).has_value());
}

TEST(StatusFromGrpcTest, NegativeRetryDelay_MeansNoRetry) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(-1);
  google::rpc::Status wire;
  wire.add_details()->PackFrom(retry);
  const absl::Status status =
      StatusFromGrpc(WithDetails(grpc::StatusCode::RESOURCE_EXHAUSTED, wire));
  EXPECT_FALSE(base::RetryDelayOf(status).has_value());
}

TEST(StatusOfUncancelledCallTest, CancelledByTheTransport_IsUnavailable) {
  EXPECT_EQ(StatusOfUncancelledCall(grpc::Status(grpc::StatusCode::CANCELLED, "")).code(),
            absl::StatusCode::kUnavailable);
  google::rpc::Status wire;
  wire.add_details()->PackFrom(google::rpc::ErrorInfo());
  EXPECT_EQ(StatusOfUncancelledCall(WithDetails(grpc::StatusCode::CANCELLED, wire)).code(),
            absl::StatusCode::kCancelled);
}

TEST(StatusFromGrpcTest, CodeOutsideTheEnum_IsUnknown) {
  EXPECT_EQ(StatusFromGrpc(grpc::Status(static_cast<grpc::StatusCode>(99), "?")).code(),
            absl::StatusCode::kUnknown);
}

}  // namespace
}  // namespace hydra::client
