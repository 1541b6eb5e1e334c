#include "server/lifecycle/server.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <httplib.h>

#include <fstream>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "gtest/gtest.h"
#include "hydra/v1/abstention.grpc.pb.h"
#include "hydra/v1/prediction.grpc.pb.h"
#include "tests/unit/server/lifecycle/served_tiny.h"

namespace hydra::lifecycle {
namespace {

using ::testing::HasSubstr;

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : bundle_(WriteServedTiny(scratch_)) {}

  config::ServerConfig Config() const {
    config::ServerConfig config;
    config.listen = "127.0.0.1:0";
    config.admin_listen = "127.0.0.1:0";
    config.bundle.path = bundle_;
    config.batching.max_batch_rows = 4;
    config.lanes.count = 1;
    config.drain.delay = absl::ZeroDuration();
    return config;
  }

  const fakes::ScratchDirectory scratch_;
  const std::string bundle_;
};

// A server on a thread of its own.
class RunningServer {
 public:
  explicit RunningServer(config::ServerConfig config, Runtime runtime = FakeRuntime())
      : logger_({}, clock_, [](config::LogLevel, const std::string&) {}),
        server_(std::move(config), {.runtime = std::move(runtime),
                                    .clock = clock_,
                                    .logger = logger_,
                                    .version = "1.2.3",
                                    .on_ready = [this](Ports ports) { Resolve(ports); }}),
        thread_([this] {
          absl::Status status = server_.Run();
          if (!resolved_) Resolve(status);
          ended_.set_value(std::move(status));
        }) {}

  // Throws with the status when the start fails.
  Ports WaitUntilReady() { return ports_ = ready_.get_future().get().value(); }
  absl::Status Ended() { return ended_.get_future().get(); }
  Server& server() { return server_; }

  httplib::Client Http() const { return httplib::Client("127.0.0.1", ports_.admin); }
  std::shared_ptr<grpc::Channel> Channel() const {
    return grpc::CreateChannel("127.0.0.1:" + std::to_string(ports_.grpc),
                               grpc::InsecureChannelCredentials());
  }

 private:
  void Resolve(absl::StatusOr<Ports> ports) {
    resolved_ = true;
    ready_.set_value(std::move(ports));
  }

  base::RealClock clock_;
  observability::Logger logger_;
  bool resolved_ = false;  // of the server's thread
  std::promise<absl::StatusOr<Ports>> ready_;
  std::promise<absl::Status> ended_;
  Ports ports_;
  Server server_;
  std::jthread thread_;
};

v1::PredictRequest OneInstance(float first) {
  std::vector<float> values(16, 0.0f);
  values[0] = first;
  v1::PredictRequest request;
  v1::Tensor& tensor = *request.add_instances()->mutable_tensor();
  tensor.set_dtype(v1::TENSOR_DATA_TYPE_FP32);
  for (const int64_t size : {1, 4, 4}) tensor.add_shape(size);
  tensor.set_data(values.data(), values.size() * sizeof(float));
  return request;
}

grpc::Status Predict(const RunningServer& running, v1::PredictResponse& response) {
  grpc::ClientContext context;
  return v1::PredictionService::NewStub(running.Channel())
      ->Predict(&context, OneInstance(1.0f), &response);
}

TEST_F(ServerTest, FromStartToDrain_AnswersAndReportsItself) {
  RunningServer running(Config());
  running.WaitUntilReady();
  v1::PredictResponse response;
  const grpc::Status status = Predict(running, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.predictions_size(), 1);
  EXPECT_EQ(response.predictions(0).top(0).index(), 2);  // the last class has the largest logit

  httplib::Client http = running.Http();
  EXPECT_EQ(http.Get("/livez")->status, 200);
  EXPECT_EQ(http.Get("/readyz")->status, 200);
  const auto version = nlohmann::json::parse(http.Get("/version")->body, nullptr, false);
  EXPECT_EQ(version["version"], "1.2.3");
  EXPECT_EQ(version["bundle"]["name"], "tiny");
  const std::string metrics = http.Get("/metrics")->body;
  EXPECT_THAT(metrics, HasSubstr("hydra_ready 1"));
  EXPECT_THAT(metrics, HasSubstr("hydra_batches_total{code=\"OK\""));
  EXPECT_THAT(metrics, HasSubstr("hydra_score_count{score=\"total_entropy\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("hydra_bundle_info{"));

  running.server().RequestStop();
  EXPECT_TRUE(running.Ended().ok());
}

TEST_F(ServerTest, BundleOfTexts_IsServedByTheConfiguredLimits) {
  config::ServerConfig config = Config();
  config.bundle.path = scratch_.Path("texts");
  config.batching.max_tokens = 12;
  config.limits.max_text_bytes = 60;
  ASSERT_TRUE(artifact::WriteBundle(ServedTinyTexts(), config.bundle.path).ok());
  RunningServer running(std::move(config));
  running.WaitUntilReady();
  v1::PredictRequest request;
  request.add_instances()->set_text("play music");
  request.add_instances()->set_text("now now now now now now now now now now");
  const auto stub = v1::PredictionService::NewStub(running.Channel());
  v1::PredictResponse response;
  grpc::ClientContext context;
  const grpc::Status status = stub->Predict(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.predictions(0).truncated_tokens(), 0u);
  EXPECT_EQ(response.predictions(1).truncated_tokens(), 2u);
  const auto metrics = running.Http().Get("/metrics");
  EXPECT_THAT(metrics->body, HasSubstr("hydra_truncated_tokens_total 2"));
  EXPECT_THAT(metrics->body, HasSubstr("hydra_tokens_total 14"));
  request.mutable_instances(0)->set_text(std::string(61, 'a'));
  grpc::ClientContext refused;
  EXPECT_THAT(stub->Predict(&refused, request, &response).error_message(),
              HasSubstr("instances[0].text: got 61 bytes, want at most 60"));
  running.server().RequestStop();
  EXPECT_TRUE(running.Ended().ok());
}

TEST_F(ServerTest, Health_FollowsReadiness) {
  RunningServer running(Config());
  running.WaitUntilReady();
  const auto stub = grpc::health::v1::Health::NewStub(running.Channel());
  for (const char* service : {"", "hydra.v1.PredictionService"}) {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckRequest request;
    grpc::health::v1::HealthCheckResponse response;
    request.set_service(service);
    ASSERT_TRUE(stub->Check(&context, request, &response).ok());
    EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
  }
  running.server().RequestStop();
  EXPECT_TRUE(running.Ended().ok());
}

// The model blocks until the test lets it go on; the warm-up passes before that do not.
struct Gate {
  std::promise<void> entered;
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  std::atomic<bool> closed = false;

  Runtime BlockingRuntime() {
    return FakeRuntime([this](absl::Span<const float>, size_t) {
      if (closed.exchange(false)) {
        entered.set_value();
        released.wait();
      }
      return absl::OkStatus();
    });
  }
};

TEST_F(ServerTest, CallInFlight_IsAnsweredWhileDraining) {
  Gate gate;
  config::ServerConfig config = Config();
  config.drain.grace = absl::Minutes(1);
  RunningServer running(config, gate.BlockingRuntime());
  running.WaitUntilReady();
  gate.closed = true;
  v1::PredictResponse response;
  auto call = std::async(std::launch::async, [&] { return Predict(running, response); });
  gate.entered.get_future().wait();
  running.server().RequestStop();
  httplib::Client http = running.Http();
  while (http.Get("/readyz")->status == 200) std::this_thread::yield();
  EXPECT_EQ(http.Get("/livez")->status, 200);
  gate.release.set_value();
  EXPECT_TRUE(call.get().ok());
  EXPECT_TRUE(running.Ended().ok());
}

TEST_F(ServerTest, SecondStop_AnswersWhatWaitsWithoutTheGrace) {
  Gate gate;
  config::ServerConfig config = Config();
  config.drain.delay = absl::Minutes(10);
  config.drain.grace = absl::Minutes(10);
  RunningServer running(config, gate.BlockingRuntime());
  running.WaitUntilReady();
  gate.closed = true;
  v1::PredictResponse first_response, second_response;
  auto first = std::async(std::launch::async, [&] { return Predict(running, first_response); });
  gate.entered.get_future().wait();
  auto second = std::async(std::launch::async, [&] { return Predict(running, second_response); });
  httplib::Client http = running.Http();
  while (http.Get("/metrics")->body.find("hydra_queue_requests 1") == std::string::npos) {
    std::this_thread::yield();
  }
  running.server().RequestStop();
  running.server().RequestStop();
  EXPECT_EQ(second.get().error_code(), grpc::StatusCode::UNAVAILABLE);
  gate.release.set_value();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(running.Ended().ok());
}

TEST_F(ServerTest, StopWhileStarting_IsCancelled) {
  Server* server = nullptr;
  std::promise<void> server_known;
  auto known = server_known.get_future().share();
  RunningServer running(Config(), FakeRuntime([&](absl::Span<const float>, size_t) {
                          known.wait();
                          server->RequestStop();
                          return absl::OkStatus();
                        }));
  server = &running.server();
  server_known.set_value();
  EXPECT_EQ(running.Ended().code(), absl::StatusCode::kCancelled);
}

TEST_F(ServerTest, FailedStart_TellsWhy) {
  config::ServerConfig config = Config();
  config.bundle.path = "/nonexistent";
  EXPECT_EQ(RunningServer(config).Ended().code(), absl::StatusCode::kNotFound);
  config = Config();
  config.security.admin_token_file = "/nonexistent/token";
  EXPECT_THAT(std::string(RunningServer(config).Ended().message()),
              HasSubstr("/nonexistent/token"));
}

TEST_F(ServerTest, AddressInUse_TellsWhich) {
  RunningServer running(Config());
  const Ports ports = running.WaitUntilReady();
  config::ServerConfig config = Config();
  config.listen = "127.0.0.1:" + std::to_string(ports.grpc);
  EXPECT_THAT(std::string(RunningServer(config).Ended().message()), HasSubstr(config.listen));
  config = Config();
  config.admin_listen = "127.0.0.1:" + std::to_string(ports.admin);
  EXPECT_THAT(std::string(RunningServer(config).Ended().message()), HasSubstr(config.admin_listen));
  running.server().RequestStop();
  EXPECT_TRUE(running.Ended().ok());
}

TEST_F(ServerTest, Policy_SurvivesARestart) {
  config::ServerConfig config = Config();
  config.policy.state_directory = scratch_.Path("state");
  {
    RunningServer running(config);
    running.WaitUntilReady();
    const auto stub = v1::AbstentionService::NewStub(running.Channel());
    v1::UpdatePolicyRequest request;
    v1::ScoreRule& rule = *request.mutable_policy()->add_rules()->mutable_score();
    rule.set_score_name("total_entropy");
    rule.set_threshold(0.75);
    request.mutable_update_mask()->add_paths("rules");
    grpc::ClientContext context;
    v1::UpdatePolicyResponse response;
    const grpc::Status status = stub->UpdatePolicy(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    running.server().RequestStop();
    EXPECT_TRUE(running.Ended().ok());
  }
  RunningServer again(config);
  again.WaitUntilReady();
  grpc::ClientContext context;
  v1::GetPolicyResponse response;
  ASSERT_TRUE(v1::AbstentionService::NewStub(again.Channel())
                  ->GetPolicy(&context, v1::GetPolicyRequest(), &response)
                  .ok());
  ASSERT_EQ(response.policy().rules_size(), 1);
  EXPECT_EQ(response.policy().rules(0).score().threshold(), 0.75);
  again.server().RequestStop();
  EXPECT_TRUE(again.Ended().ok());
}

TEST_F(ServerTest, ReloadOfADamagedPolicyFile_KeepsTheActivePolicy) {
  config::ServerConfig config = Config();
  config.policy.state_directory = scratch_.Path("state");
  RunningServer running(config);
  running.WaitUntilReady();
  std::ofstream(config.policy.state_directory + "/policy.json") << "{";
  running.server().Reload();
  v1::PredictResponse response;
  EXPECT_TRUE(Predict(running, response).ok());
  running.server().RequestStop();
  EXPECT_TRUE(running.Ended().ok());
}

}  // namespace
}  // namespace hydra::lifecycle
