// A gRPC server in the test's process, on a port of the system's choice, over fakes.
#pragma once

#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cpp/status_from_grpc.h"
#include "grpcpp/create_channel.h"
#include "gtest/gtest.h"
#include "hydra/v1/prediction.grpc.pb.h"
#include "model/base/clock.h"
#include "model/base/mutex.h"
#include "server/batching/batcher.h"
#include "server/rpc/rpc_server.h"
#include "tests/fakes/fake_bundle.h"
#include "tests/fakes/fake_predictor.h"
#include "tests/fakes/request_bytes.h"

namespace hydra::rpc {

// Remembers what it was told.  Thread-safe.
class RecordingObserver final : public Observer {
 public:
  void OnCall(const CallReport& report) override {
    const base::MutexLock lock(mutex_);
    calls_.push_back({std::string(report.method), report.status});
  }
  void OnAnswer(const AnswerReport& report) override {
    const base::MutexLock lock(mutex_);
    ++answers_;
    truncated_tokens_ += report.truncated_tokens;
  }
  void OnPolicyChange(const policy::Policy& policy) override {
    const base::MutexLock lock(mutex_);
    revisions_.push_back(policy.revision);
  }

  std::vector<std::pair<std::string, absl::Status>> calls() const {
    const base::MutexLock lock(mutex_);
    return calls_;
  }
  size_t answers() const {
    const base::MutexLock lock(mutex_);
    return answers_;
  }
  size_t truncated_tokens() const {
    const base::MutexLock lock(mutex_);
    return truncated_tokens_;
  }
  std::vector<uint64_t> revisions() const {
    const base::MutexLock lock(mutex_);
    return revisions_;
  }

 private:
  mutable base::Mutex mutex_;
  std::vector<std::pair<std::string, absl::Status>> calls_ ABSL_GUARDED_BY(mutex_);
  size_t answers_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t truncated_tokens_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<uint64_t> revisions_ ABSL_GUARDED_BY(mutex_);
};

class SilentBatchObserver final : public batching::Observer {
 public:
  void OnDropped(batching::Stage, const absl::Status&) override {}
  void OnBatch(const batching::BatchReport&) override {}
};

// Everything a server needs; a test starts it with its own way to run jobs.
class RpcFixture : public ::testing::Test {
 protected:
  ~RpcFixture() override {
    if (server_ != nullptr) server_->Shutdown(absl::ZeroDuration());
  }

  // Options of a test; listen on loopback, port 0.
  static RpcServerOptions Options() {
    RpcServerOptions options;
    options.listen = "127.0.0.1:0";
    options.max_instances = 8;
    options.max_message_bytes = size_t{1} << 20;
    options.max_image_bytes = 1000;
    options.max_image_pixels = 100;
    options.max_text_bytes = 100;
    return options;
  }

  void StartWith(SubmitJob submit, RpcServerOptions options = Options(),
                 policy::ServedBundle bundle = fakes::FakeServedBundle()) {
    keeper_ = policy::Keeper::Create(std::move(bundle), store_, reservoir_, clock_).value();
    auto server = RpcServer::Create(std::move(options), {.submit = std::move(submit),
                                                         .keeper = *keeper_,
                                                         .reservoir = reservoir_,
                                                         .clock = clock_,
                                                         .observer = observer_,
                                                         .version = "test"});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const absl::Status started = server_->Start();
    ASSERT_TRUE(started.ok()) << started;
    server_->SetHealth(Health::kServing);
    channel_ = grpc::CreateChannel(absl::StrCat("127.0.0.1:", server_->port()),
                                   grpc::InsecureChannelCredentials());
  }

  // A server over a real batcher whose lane runs a fake predictor for `bundle`.
  void StartWithBatcher(fakes::FakePredictor::Hook hook = nullptr,
                        policy::ServedBundle bundle = fakes::FakeServedBundle()) {
    const artifact::Geometry& geometry = bundle.manifest.geometry;
    std::vector<std::unique_ptr<runtime::Predictor>> predictors;
    predictors.push_back(std::make_unique<fakes::FakePredictor>(
        runtime::PredictorShape{
            .members = 3,
            .classes = 3,
            .row_values = geometry.channels * geometry.image_height * geometry.image_width,
            .max_tokens = geometry.max_positions,
            .vocabulary = geometry.vocabulary},
        std::move(hook)));
    batching::BatcherOptions options;
    options.former.max_batch_rows = 8;
    options.former.ladder = {1, 2, 4, 8};
    batcher_ = batching::Batcher::Create(options, std::move(predictors), batching::CostModel(),
                                         clock_, batch_observer_)
                   .value();
    StartWith([this](batching::Job job) { return batcher_->Submit(std::move(job)); }, Options(),
              std::move(bundle));
  }

  // The fake predictor's energy tells the sum of the row that it was made from.
  static double EnergyOfSum(double sum) {
    const double log_sum_exp = std::log(1.0 + std::exp(-10.0) + std::exp(-20.0));
    return -(100.0 + 20.0 + sum + log_sum_exp);
  }

  static void AddValues(std::vector<float> values, v1::PredictRequest& request) {
    v1::Tensor& tensor = *request.add_instances()->mutable_tensor();
    tensor.set_dtype(v1::TENSOR_DATA_TYPE_FP32);
    for (const int64_t dimension : {1, 2, 2}) tensor.add_shape(dimension);
    tensor.set_data(fakes::FloatBytes(values));
  }

  // One call; the error carries the server's details (model/base/status_detail.h).
  absl::StatusOr<v1::PredictResponse> Predict(const v1::PredictRequest& request) {
    grpc::ClientContext context;
    return Predict(request, context);
  }

  absl::StatusOr<v1::PredictResponse> Predict(const v1::PredictRequest& request,
                                              grpc::ClientContext& context) {
    v1::PredictResponse response;
    const auto stub = v1::PredictionService::NewStub(channel_);
    const grpc::Status status = stub->Predict(&context, request, &response);
    if (!status.ok()) return client::StatusFromGrpc(status);
    return response;
  }

  base::RealClock clock_;
  policy::MemoryStore store_;
  policy::Reservoir reservoir_{100, 1};
  RecordingObserver observer_;
  SilentBatchObserver batch_observer_;
  std::unique_ptr<policy::Keeper> keeper_;
  std::unique_ptr<batching::Batcher> batcher_;
  std::unique_ptr<RpcServer> server_;  // goes before what it uses
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace hydra::rpc
