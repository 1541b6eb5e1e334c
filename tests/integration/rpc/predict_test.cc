// Predict over the wire: answers, refusals, and that neither disturbs the other.
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "model/base/status_detail.h"
#include "tests/integration/rpc/rpc_fixture.h"

namespace hydra::rpc {
namespace {

using ::testing::Contains;
using ::testing::Pair;

class PredictTest : public RpcFixture {
 protected:
  PredictTest() { StartWithBatcher(); }
};

TEST_F(PredictTest, Instances_AreAnsweredInOrder) {
  v1::PredictRequest request;
  AddValues({1, 0, 0, 0}, request);
  request.add_instances()->set_image(fakes::TinyPng());
  AddValues({5, 0, 0, 0}, request);
  request.set_request_id("r-1");
  request.mutable_options()->set_return_timings(true);
  const auto response = Predict(request);
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->predictions_size(), 3);
  EXPECT_NEAR(response->predictions(0).uncertainty().energy(), EnergyOfSum(1), 1e-4);
  EXPECT_NEAR(response->predictions(1).uncertainty().energy(), EnergyOfSum(0), 1e-4);
  EXPECT_NEAR(response->predictions(2).uncertainty().energy(), EnergyOfSum(5), 1e-4);
  EXPECT_EQ(response->predictions(0).top(0).label(), "owl");
  EXPECT_EQ(response->request_id(), "r-1");
  EXPECT_EQ(response->members_used(), 3u);
  EXPECT_GT(response->timings().total().nanos(), 0);
  EXPECT_EQ(observer_.answers(), 3u);
  EXPECT_EQ(reservoir_.Samples().size(), 3u);
}

TEST_F(PredictTest, BadRequests_AreRefusedWithPathsAndNeighboursAreAnswered) {
  constexpr int kThreads = 8;
  constexpr int kCalls = 25;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < kCalls; ++i) {
        v1::PredictRequest good;
        const float sum = static_cast<float>(100 * t + i);
        AddValues({sum, 0, 0, 0}, good);
        v1::PredictRequest bad = good;
        bad.add_instances()->set_image("not an image");
        const auto refused = Predict(bad);
        EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
        const auto violations = base::FieldViolationsOf(refused.status());
        ASSERT_EQ(violations.size(), 1u);
        EXPECT_EQ(violations[0].path, "instances[1].image");
        const auto answered = Predict(good);
        ASSERT_TRUE(answered.ok()) << answered.status();
        EXPECT_NEAR(answered->predictions(0).uncertainty().energy(), EnergyOfSum(sum), 1e-3);
      }
    });
  }
}

TEST_F(PredictTest, AllowPartial_AnswersTheUsableInstances) {
  v1::PredictRequest request;
  AddValues({1, NAN, 0, 0}, request);
  AddValues({2, 0, 0, 0}, request);
  request.mutable_options()->set_allow_partial(true);
  const auto response = Predict(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->predictions(0).status().code(), 3);
  EXPECT_NEAR(response->predictions(1).uncertainty().energy(), EnergyOfSum(2), 1e-4);
}

TEST_F(PredictTest, BatchOverTheLimit_NamesTheLimit) {
  v1::PredictRequest request;
  EXPECT_EQ(base::ReasonOf(Predict(request).status()), "EMPTY_BATCH");
  for (int i = 0; i < 9; ++i) AddValues({0, 0, 0, 0}, request);
  const absl::Status status = Predict(request).status();
  EXPECT_EQ(base::ReasonOf(status), "BATCH_TOO_LARGE");
  EXPECT_THAT(base::MetadataOf(status), Contains(Pair("max_instances", "8")));
}

TEST_F(PredictTest, MetadataGarbage_DoesNotHurt) {
  v1::PredictRequest request;
  AddValues({1, 0, 0, 0}, request);
  grpc::ClientContext context;
  context.AddMetadata("traceparent", "00-zz-~garbage~");
  context.AddMetadata("authorization", "Basic !!!");
  context.AddMetadata("authorization", "Bearer");
  context.AddMetadata("garbage-bin", std::string("\x00\xff\xfe\r\n", 5));
  const auto response = Predict(request, context);
  EXPECT_TRUE(response.ok()) << response.status();
}

TEST_F(PredictTest, BytesThatAreNoMessage_AreRefusedAndTheServerGoesOn) {
  grpc::GenericStub stub(channel_);
  for (int i = 0; i < 20; ++i) {  // more than the calls that listen
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    const std::string garbage(100, '\xff');
    const grpc::Slice slice(garbage);
    const grpc::ByteBuffer request(&slice, 1);
    auto call =
        stub.PrepareUnaryCall(&context, "/hydra.v1.PredictionService/Predict", request, &queue);
    call->StartCall();
    grpc::ByteBuffer response;
    grpc::Status status;
    call->Finish(&response, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    ASSERT_TRUE(queue.Next(&tag, &ok));
    EXPECT_FALSE(status.ok());
  }
  v1::PredictRequest request;
  AddValues({1, 0, 0, 0}, request);
  EXPECT_TRUE(Predict(request).ok());
}

TEST_F(PredictTest, MessageOverTheLimit_IsRefused) {
  v1::PredictRequest request;
  request.add_instances()->set_image(std::string(size_t{2} << 20, 'x'));
  EXPECT_EQ(Predict(request).status().code(), absl::StatusCode::kResourceExhausted);
  request.mutable_instances(0)->set_image("x");
  EXPECT_EQ(Predict(request).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(PredictTest, PolicyOfTheMoment_Decides) {
  v1::PredictRequest request;
  AddValues({1, 0, 0, 0}, request);
  EXPECT_EQ(Predict(request)->predictions(0).decision().outcome(), v1::DECISION_OUTCOME_PREDICTED);
  ASSERT_TRUE(keeper_
                  ->Update({.rules = {.scores = {{uncertainty::Score::kEnergy, -1000.0}}}},
                           {.author = "test"})
                  .ok());
  const auto response = Predict(request);
  ASSERT_TRUE(response.ok()) << response.status();
  const v1::Decision& decision = response->predictions(0).decision();
  EXPECT_EQ(decision.outcome(), v1::DECISION_OUTCOME_ABSTAINED);
  EXPECT_EQ(decision.reason(), v1::ABSTENTION_REASON_UNFAMILIAR_INPUT);
  EXPECT_EQ(decision.score_name(), "energy");
  EXPECT_EQ(decision.threshold(), -1000.0);
  EXPECT_EQ(response->policy().revision(), 2u);
}

TEST_F(PredictTest, TextForAnImageModel_IsRefusedAsTheWrongKind) {
  v1::PredictRequest request;
  request.add_instances()->set_text("play music");
  const absl::Status status = Predict(request).status();
  EXPECT_EQ(base::ReasonOf(status), "WRONG_INPUT_KIND");
  EXPECT_EQ(base::FieldViolationsOf(status)[0].path, "instances[0].text");
}

TEST_F(PredictTest, StreamPredict_IsUnimplemented) {
  grpc::ClientContext context;
  const auto stub = v1::PredictionService::NewStub(channel_);
  auto stream = stub->StreamPredict(&context);
  stream->WritesDone();
  v1::StreamPredictResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace
}  // namespace hydra::rpc
