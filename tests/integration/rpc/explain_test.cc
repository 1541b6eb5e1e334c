// ExplainHeads over a real batcher.
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "hydra/v1/head_map.grpc.pb.h"
#include "model/base/status_detail.h"
#include "model/interpret/laplace_map.h"
#include "tests/integration/rpc/rpc_fixture.h"

namespace hydra::rpc {
namespace {

class ExplainTest : public RpcFixture {
 protected:
  static v1::ExplainHeadsRequest Request() {
    v1::ExplainHeadsRequest request;
    v1::Tensor& tensor = *request.mutable_instance()->mutable_tensor();
    tensor.set_dtype(v1::TENSOR_DATA_TYPE_FP32);
    for (const int64_t dimension : {1, 2, 2}) tensor.add_shape(dimension);
    tensor.set_data(fakes::FloatBytes({1.0f, 2.0f, 3.0f, 4.0f}));
    for (const uint32_t member : {0u, 2u}) {
      v1::HeadReference& head = *request.add_heads();
      head.set_layer(1);
      head.set_head(1);
      head.set_member(member);
    }
    return request;
  }

  absl::StatusOr<v1::ExplainHeadsResponse> Explain(const v1::ExplainHeadsRequest& request) {
    grpc::ClientContext context;
    return Explain(request, context);
  }

  absl::StatusOr<v1::ExplainHeadsResponse> Explain(const v1::ExplainHeadsRequest& request,
                                                   grpc::ClientContext& context) {
    v1::ExplainHeadsResponse response;
    const auto stub = v1::HeadMapService::NewStub(channel_);
    const grpc::Status status = stub->ExplainHeads(&context, request, &response);
    if (!status.ok()) return client::StatusFromGrpc(status);
    return response;
  }
};

TEST_F(ExplainTest, Heads_AreExplainedInTheirOrder) {
  StartWithBatcher();
  const auto response = Explain(Request());
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->explanations_size(), 2);
  EXPECT_EQ(response->model().name(), "fake");
  for (int i = 0; i < 2; ++i) {
    const v1::HeadExplanation& explanation = response->explanations(i);
    EXPECT_EQ(explanation.head().member(), Request().heads(i).member());
    EXPECT_TRUE(explanation.png().empty());
    const auto want =
        interpret::MapTokens(fakes::FakePredictor::Attention(
                                 {.layer = 1, .head = 1, .member = Request().heads(i).member()}, 5)
                                 .probabilities,
                             5);
    ASSERT_EQ(explanation.coordinates_size(), 15);
    for (int c = 0; c < 15; ++c) EXPECT_EQ(explanation.coordinates(c), want->coordinates[c]);
  }
}

TEST_F(ExplainTest, Text_SaysWhatWasCutOff) {
  StartWithBatcher(nullptr, fakes::FakeTextBundle());
  v1::ExplainHeadsRequest request = Request();
  request.mutable_instance()->set_text("play music now stop play music now stop");
  const auto response = Explain(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->explanations(0).rows(), 1u);
  EXPECT_EQ(response->explanations(0).columns(), 6u);
  EXPECT_EQ(response->truncated_tokens(), 2u);
}

TEST_F(ExplainTest, SecondCallWhileOneRuns_IsRefusedWithARetryDelay) {
  std::promise<void> entered, leave;
  const std::shared_future<void> left = leave.get_future().share();
  StartWithBatcher([&entered, left](absl::Span<const float>, size_t) {
    entered.set_value();
    left.wait();
    return absl::OkStatus();
  });
  absl::Status first;
  {
    std::jthread caller([&] { first = Explain(Request()).status(); });
    entered.get_future().wait();
    const absl::Status second = Explain(Request()).status();
    EXPECT_TRUE(absl::IsResourceExhausted(second)) << second;
    EXPECT_EQ(base::ReasonOf(second), "EXPLAIN_BUSY");
    EXPECT_TRUE(base::RetryDelayOf(second).has_value());
    leave.set_value();
  }
  EXPECT_TRUE(first.ok()) << first;
}

TEST_F(ExplainTest, AfterARefusedCall_TheNextRuns) {
  StartWithBatcher();
  v1::ExplainHeadsRequest wrong = Request();
  wrong.mutable_heads(1)->set_head(3);
  EXPECT_EQ(base::ReasonOf(Explain(wrong).status()), "HEAD_REMOVED");
  EXPECT_TRUE(Explain(Request()).ok());
}

TEST_F(ExplainTest, CallerGoesAwayWhileItsJobWaits_TheJobNeverRuns) {
  std::promise<void> submitted;
  std::promise<batching::Job> job;
  StartWith([&](batching::Job submitted_job) {
    job.set_value(std::move(submitted_job));
    submitted.set_value();
    return absl::OkStatus();
  });
  grpc::ClientContext context;
  std::jthread caller([&] { EXPECT_FALSE(Explain(Request(), context).ok()); });
  submitted.get_future().wait();
  context.TryCancel();
  batching::Job waiting = job.get_future().get();
  while (!waiting.cancel->cancelled()) std::this_thread::yield();
  waiting.done(absl::CancelledError("as a lane would"));
}

TEST_F(ExplainTest, DeadlineOfTheCall_IsTheJobs) {
  absl::Time deadline;
  StartWith([&deadline](batching::Job job) {
    deadline = job.deadline;
    return absl::UnavailableError("no model");
  });
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  EXPECT_TRUE(absl::IsUnavailable(Explain(Request(), context).status()));
  EXPECT_LT(deadline, clock_.MonotonicNow() + absl::Seconds(21));
  EXPECT_TRUE(absl::IsUnavailable(Explain(Request()).status()));
  EXPECT_LT(deadline, clock_.MonotonicNow() + absl::Seconds(61));
}

TEST_F(ExplainTest, PassThatFails_IsTheCallsError) {
  StartWithBatcher([](absl::Span<const float>, size_t) { return absl::InternalError("broken"); });
  EXPECT_TRUE(absl::IsInternal(Explain(Request()).status()));
  const auto calls = observer_.calls();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].first, "hydra.v1.HeadMapService/ExplainHeads");
}

}  // namespace
}  // namespace hydra::rpc
