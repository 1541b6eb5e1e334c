// grpc.health.v1, and starting and failing to start.
#include <string>

#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/integration/rpc/rpc_fixture.h"

namespace hydra::rpc {
namespace {

using grpc::health::v1::HealthCheckResponse;

constexpr const char* kNames[] = {"",
                                  "hydra.v1.PredictionService",
                                  "hydra.v1.AbstentionService",
                                  "hydra.v1.HeadMapService",
                                  "hydra.v1.ModelService",
                                  "hydra.v1.FeedbackService",
                                  "inference.GRPCInferenceService"};

class HealthTest : public RpcFixture {
 protected:
  HealthTest() {
    StartWith([](batching::Job) { return absl::UnavailableError("no model"); });
  }

  HealthCheckResponse::ServingStatus Check(const std::string& name) {
    const auto stub = grpc::health::v1::Health::NewStub(channel_);
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(name);
    grpc::ClientContext context;
    HealthCheckResponse response;
    const grpc::Status status = stub->Check(&context, request, &response);
    EXPECT_TRUE(status.ok()) << name << ": " << status.error_message();
    return response.status();
  }
};

TEST_F(HealthTest, EveryName_FollowsTheServer) {
  for (const char* name : kNames) EXPECT_EQ(Check(name), HealthCheckResponse::SERVING) << name;
  server_->SetHealth(Health::kNotServing);
  for (const char* name : kNames) EXPECT_EQ(Check(name), HealthCheckResponse::NOT_SERVING) << name;
}

class StartTest : public RpcFixture {
 protected:
  absl::StatusOr<std::unique_ptr<RpcServer>> Make(RpcServerOptions options) {
    keeper_ = policy::Keeper::Create(fakes::FakeServedBundle(), store_, reservoir_, clock_).value();
    return RpcServer::Create(std::move(options),
                             {.submit = [](batching::Job) { return absl::OkStatus(); },
                              .keeper = *keeper_,
                              .reservoir = reservoir_,
                              .clock = clock_,
                              .observer = observer_,
                              .version = "test"});
  }
};

TEST_F(StartTest, FreshServer_IsNotServing) {
  server_ = Make(Options()).value();
  ASSERT_TRUE(server_->Start().ok());
  const auto stub = grpc::health::v1::Health::NewStub(grpc::CreateChannel(
      absl::StrCat("127.0.0.1:", server_->port()), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  HealthCheckResponse response;
  ASSERT_TRUE(stub->Check(&context, {}, &response).ok());
  EXPECT_EQ(response.status(), HealthCheckResponse::NOT_SERVING);
}

TEST_F(StartTest, PortInUse_IsAnError) {
  server_ = Make(Options()).value();
  ASSERT_TRUE(server_->Start().ok());
  RpcServerOptions taken = Options();
  taken.listen = absl::StrCat("127.0.0.1:", server_->port());
  auto second = Make(taken);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)->Start().code(), absl::StatusCode::kUnavailable);
}

TEST_F(StartTest, OptionsOutOfRange_AreRefused) {
  RpcServerOptions options = Options();
  options.completion_threads = 0;
  EXPECT_EQ(Make(options).status().code(), absl::StatusCode::kInvalidArgument);
  options = Options();
  options.max_message_bytes = size_t{1} << 40;
  EXPECT_EQ(Make(options).status().code(), absl::StatusCode::kInvalidArgument);
  options = Options();
  options.token_file = "/nonexistent";
  EXPECT_EQ(Make(options).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(StartTest, ServerThatNeverStarted_GoesAwayQuietly) { EXPECT_TRUE(Make(Options()).ok()); }

}  // namespace
}  // namespace hydra::rpc
