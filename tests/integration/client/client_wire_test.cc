// The client library against a real gRPC server: what crosses the wire, and what a retry is.
#include <atomic>
#include <chrono>
#include <string>

#include "client/cpp/client.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_sleeper.h"
#include "tests/integration/client/scripted_server.h"

namespace hydra::client {
namespace {

using integration::ScriptedServer;

class ClientWireTest : public ::testing::Test {
 protected:
  Client Connect(const ScriptedServer& server, Options options = {}) {
    options.endpoint = server.endpoint();
    return Client(MakeConnection(options, {clock_, sleeper_}).value());
  }

  static v1::PredictRequest OneImage(size_t bytes = 3) {
    v1::PredictRequest request;
    request.add_instances()->set_image(std::string(bytes, 'x'));
    return request;
  }

  fakes::FakeClock clock_;
  fakes::FakeSleeper sleeper_{clock_};
};

grpc::Status Answer(const v1::PredictRequest& request, v1::PredictResponse& response) {
  for (int i = 0; i < request.instances_size(); ++i) {
    response.add_predictions()->mutable_decision()->set_outcome(v1::DECISION_OUTCOME_ABSTAINED);
  }
  return grpc::Status::OK;
}

TEST_F(ClientWireTest, Predict_Abstention_IsASuccessfulAnswer) {
  ScriptedServer server(
      [](auto&, const auto& request, auto& response) { return Answer(request, response); });
  const auto response = Connect(server).Predict(OneImage());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->predictions(0).decision().outcome(), v1::DECISION_OUTCOME_ABSTAINED);
}

TEST_F(ClientWireTest, Predict_MessageOfThirtyMegabytes_PassesBothWays) {
  ScriptedServer server([](auto&, const auto& request, auto& response) {
    response.set_request_id(std::string(30 << 20, 'y'));
    return Answer(request, response);
  });
  const auto response = Connect(server).Predict(OneImage(30 << 20));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->request_id().size(), size_t{30} << 20);
}

TEST_F(ClientWireTest, Predict_RefusedField_CarriesPathAndReason) {
  ScriptedServer server([](auto&, const auto&, auto&) {
    google::rpc::BadRequest bad;
    auto* violation = bad.add_field_violations();
    violation->set_field("instances[0].image");
    violation->set_description("not a JPEG or PNG");
    return ScriptedServer::Refusal(grpc::StatusCode::INVALID_ARGUMENT, bad);
  });
  const auto response = Connect(server).Predict(OneImage());
  EXPECT_EQ(response.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      base::FieldViolationsOf(response.status()),
      ::testing::ElementsAre(base::FieldViolation{"instances[0].image", "not a JPEG or PNG"}));
}

TEST_F(ClientWireTest, Predict_QueueFullWithDelay_IsRetriedAfterIt) {
  std::atomic<int> calls = 0;
  ScriptedServer server([&](auto&, const auto& request, auto& response) {
    if (++calls > 1) return Answer(request, response);
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(4);
    return ScriptedServer::Refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, retry);
  });
  const absl::Time start = clock_.MonotonicNow();
  EXPECT_TRUE(Connect(server).Predict(OneImage()).ok());
  EXPECT_EQ(calls, 2);
  EXPECT_GE(clock_.MonotonicNow() - start, absl::Seconds(4));
}

TEST_F(ClientWireTest, Predict_PerCallTimeout_ReachesTheServer) {
  std::atomic<double> seconds_left = 0.0;
  ScriptedServer server([&](grpc::ServerContext& context, const auto& request, auto& response) {
    const auto left = context.deadline() - std::chrono::system_clock::now();
    seconds_left = std::chrono::duration<double>(left).count();
    return Answer(request, response);
  });
  Client client = Connect(server, {.timeout = absl::Seconds(30)});
  ASSERT_TRUE(client.Predict(OneImage()).ok());
  EXPECT_GT(seconds_left, 20.0);
  ASSERT_TRUE(client.Predict(OneImage(), {.timeout = absl::Seconds(15)}).ok());
  EXPECT_LE(seconds_left, 16.0);  // the wire rounds a timeout up
  EXPECT_EQ(client.Predict(OneImage(), {.timeout = absl::ZeroDuration()}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ClientWireTest, Predict_BearerToken_IsSentAsAuthorization) {
  std::atomic<bool> seen = false;
  ScriptedServer server([&](grpc::ServerContext& context, const auto& request, auto& response) {
    const auto [first, last] = context.client_metadata().equal_range("authorization");
    seen = std::distance(first, last) == 1 && first->second == "Bearer s3cret";
    return Answer(request, response);
  });
  ASSERT_TRUE(Connect(server, {.bearer_token = "s3cret"}).Predict(OneImage()).ok());
  EXPECT_TRUE(seen);
}

TEST_F(ClientWireTest, UpdatePolicy_Unavailable_IsRetriedOnlyWithEtag) {
  std::atomic<int> calls = 0;
  ScriptedServer server(
      [](auto&, const auto& request, auto& response) { return Answer(request, response); },
      [&](const v1::UpdatePolicyRequest&) {
        ++calls;
        return grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining");
      });
  Client client = Connect(server, {.retry = {.max_attempts = 3}});
  v1::UpdatePolicyRequest request;
  EXPECT_EQ(client.UpdatePolicy(request).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(calls, 1);
  request.mutable_policy()->set_etag("etag");
  EXPECT_EQ(client.UpdatePolicy(request).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(calls, 4);
}

TEST_F(ClientWireTest, Predict_NobodyListens_IsUnavailable) {
  std::string endpoint;
  {
    ScriptedServer gone([](auto&, const auto&, auto&) { return grpc::Status::OK; });
    endpoint = gone.endpoint();
  }
  const Options options = {.endpoint = endpoint, .retry = {.max_attempts = 2}};
  Client client(MakeConnection(options, {clock_, sleeper_}).value());
  EXPECT_EQ(client.Predict(OneImage()).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace hydra::client
