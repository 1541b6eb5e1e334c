#include "server/batching/dispatcher.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_clock.h"
#include "tests/unit/server/batching/testing_jobs.h"

namespace hydra::batching {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kRowValues = 2;
constexpr runtime::PredictorShape kShape{.members = 1, .classes = 2, .row_values = kRowValues};

// No thread: the test plays the lane, so nothing depends on timing.
class DispatcherTest : public ::testing::Test {
 protected:
  absl::Time In(absl::Duration duration) { return clock_.MonotonicNow() + duration; }

  absl::Status Submit(size_t rows, absl::Time deadline = absl::InfiniteFuture()) {
    TestJob test = MakeJob(rows, kRowValues, 0.0f, deadline);
    answers_.push_back(std::move(test.answer));
    return dispatcher_.Submit(std::move(test.job));
  }

  fakes::FakeClock clock_;
  RecordingObserver observer_;
  std::vector<std::future<Answer>> answers_;
  Dispatcher dispatcher_{
      DispatcherOptions{.bounds = {.max_requests = 3}, .shape = kShape, .lanes = 1},
      BatchFormer::Create({.max_batch_rows = 4, .ladder = {1, 2, 4}}).value(),
      // 10 ms a row, no fixed part.
      CostModel(
          std::vector<CostModel::Sample>{{1, absl::Milliseconds(10)}, {4, absl::Milliseconds(40)}}),
      clock_, observer_};
};

TEST_F(DispatcherTest, SubmittedJobs_ComeBackAsOneBatch) {
  ASSERT_TRUE(Submit(1).ok());
  ASSERT_TRUE(Submit(2).ok());
  const auto batch = dispatcher_.NextBatch();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->jobs.size(), 2u);
  EXPECT_EQ(dispatcher_.in_flight_rows(), 3u);
  dispatcher_.Finish({.rows = 3});
  EXPECT_EQ(dispatcher_.in_flight_rows(), 0u);
}

TEST_F(DispatcherTest, WrongShape_IsRefused) {
  EXPECT_EQ(base::ReasonOf(Submit(0)), "JOB_SHAPE");
  EXPECT_EQ(base::ReasonOf(Submit(5)), "JOB_SHAPE");
  TestJob test = MakeJob(2, kRowValues + 1, 0.0f);
  const absl::Status status = dispatcher_.Submit(std::move(test.job));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("got 6 values for batch 2, want 2 x 2"));
}

TEST_F(DispatcherTest, FullQueue_RefusesWithARetryDelay) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Submit(4).ok());
  const absl::Status status = Submit(1);
  EXPECT_EQ(base::ReasonOf(status), "QUEUE_FULL");
  // Three batches of 40 ms wait.
  EXPECT_EQ(base::RetryDelayOf(status), absl::Milliseconds(120));
  EXPECT_THAT(observer_.drops(), ElementsAre("admission QUEUE_FULL"));
}

TEST_F(DispatcherTest, FullQueueWithDeadJobs_MakesRoom) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Submit(1, In(absl::Milliseconds(50))).ok());
  clock_.Advance(absl::Milliseconds(50));
  EXPECT_TRUE(Submit(1).ok());
  EXPECT_EQ(dispatcher_.depth().requests, 1u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(answers_[i].get().status().code(), absl::StatusCode::kDeadlineExceeded);
  }
}

TEST_F(DispatcherTest, DeadlineShorterThanThePass_IsRefusedForGood) {
  const absl::Status status = Submit(4, In(absl::Milliseconds(39)));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(base::ReasonOf(status), "DEADLINE_TOO_SHORT");
  EXPECT_EQ(base::RetryDelayOf(status), std::nullopt);
  EXPECT_TRUE(Submit(4, In(absl::Milliseconds(41))).ok());
}

TEST_F(DispatcherTest, DeadlineBehindTheQueue_IsRefusedForNow) {
  ASSERT_TRUE(Submit(4).ok());
  ASSERT_TRUE(Submit(4).ok());
  const absl::Status status = Submit(1, In(absl::Milliseconds(85)));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(base::ReasonOf(status), "DEADLINE_UNREACHABLE");
  EXPECT_EQ(base::RetryDelayOf(status), absl::Milliseconds(80));
  EXPECT_TRUE(Submit(1, In(absl::Milliseconds(95))).ok());
}

TEST_F(DispatcherTest, BusyLane_CountsAsWaiting) {
  ASSERT_TRUE(Submit(4).ok());
  ASSERT_TRUE(dispatcher_.NextBatch().has_value());
  EXPECT_EQ(base::ReasonOf(Submit(1, In(absl::Milliseconds(25)))), "DEADLINE_UNREACHABLE");
  dispatcher_.Finish({.rows = 4});
  EXPECT_TRUE(Submit(1, In(absl::Milliseconds(25))).ok());
}

TEST_F(DispatcherTest, EveryDeadlineTooShort_LetsAProbeThrough) {
  size_t admitted = 0;
  for (int i = 0; i < 256; ++i) {
    if (Submit(1, In(absl::Milliseconds(1))).ok()) {
      ++admitted;
      dispatcher_.Finish(WorkOf(dispatcher_.NextBatch()->jobs));
    }
  }
  EXPECT_EQ(admitted, 2u);
}

TEST_F(DispatcherTest, JobsThatDieWaiting_AreAnsweredAtFormation) {
  auto flag = std::make_shared<CancelFlag>();
  TestJob cancelled = MakeJob(1, kRowValues, 0.0f);
  cancelled.job.cancel = flag;
  ASSERT_TRUE(dispatcher_.Submit(std::move(cancelled.job)).ok());
  ASSERT_TRUE(Submit(1, In(absl::Milliseconds(20))).ok());
  ASSERT_TRUE(Submit(1).ok());
  flag->Cancel();
  clock_.Advance(absl::Milliseconds(20));
  EXPECT_EQ(dispatcher_.NextBatch()->jobs.size(), 1u);
  EXPECT_EQ(cancelled.answer.get().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(answers_[0].get().status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(observer_.drops(), ElementsAre("formation CANCELLED", "formation DEADLINE_EXPIRED"));
}

TEST_F(DispatcherTest, DeadOnArrival_IsRefused) {
  EXPECT_EQ(base::ReasonOf(Submit(1, clock_.MonotonicNow())), "DEADLINE_EXPIRED");
  EXPECT_THAT(observer_.drops(), ElementsAre("admission DEADLINE_EXPIRED"));
}

TEST_F(DispatcherTest, Drain_RefusesNewJobsAndTellsWhetherItIsDone) {
  ASSERT_TRUE(Submit(1).ok());
  EXPECT_FALSE(dispatcher_.Drain(clock_.MonotonicNow()));
  const absl::Status status = Submit(1);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(base::ReasonOf(status), "DRAINING");
  EXPECT_TRUE(base::RetryDelayOf(status).has_value());
  EXPECT_EQ(dispatcher_.NextBatch()->reason, DispatchReason::kDrain);
  EXPECT_FALSE(dispatcher_.Drain(clock_.MonotonicNow()));
  dispatcher_.Finish({.rows = 1});
  EXPECT_TRUE(dispatcher_.Drain(clock_.MonotonicNow()));
}

TEST_F(DispatcherTest, Stop_AnswersWhatWaitsAndEndsTheLane) {
  ASSERT_TRUE(Submit(1).ok());
  dispatcher_.Stop();
  EXPECT_EQ(answers_[0].get().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(dispatcher_.NextBatch(), std::nullopt);
  EXPECT_THAT(observer_.drops(), ElementsAre("stop DRAINING"));
}

class TextDispatcherTest : public DispatcherTest {
 protected:
  absl::Status SubmitTexts(std::vector<size_t> lengths,
                           absl::Time deadline = absl::InfiniteFuture()) {
    return texts_.Submit(MakeTextJob(std::move(lengths), 1, deadline).job);
  }

  Dispatcher texts_{
      DispatcherOptions{.bounds = {.max_bytes = 1000},
                        .shape = {.members = 1, .classes = 2, .max_tokens = 20, .vocabulary = 50},
                        .lanes = 1},
      BatchFormer::Create({.max_batch_rows = 4, .ladder = {4}, .max_tokens = 16}).value(),
      // 1 ms a token, no fixed part.
      CostModel(
          std::vector<CostModel::Sample>{{1, absl::Milliseconds(1)}, {8, absl::Milliseconds(8)}}),
      clock_, observer_};
};

TEST_F(TextDispatcherTest, TextsThatDoNotFitTheModel_AreRefused) {
  const auto refusal = [this](runtime::Rows rows, size_t count) {
    const absl::Status status =
        texts_.Submit(MakeJob(std::move(rows), count, absl::InfiniteFuture()).job);
    EXPECT_EQ(base::ReasonOf(status), "JOB_SHAPE");
    return std::string(status.message());
  };
  EXPECT_THAT(refusal({.token_ids = {50}, .lengths = {1}}, 1),
              HasSubstr("token id 50, want 0..49"));
  EXPECT_THAT(refusal({.token_ids = {-1}, .lengths = {1}}, 1), HasSubstr("token id -1"));
  EXPECT_THAT(refusal({.token_ids = {1}, .lengths = {2}}, 1), HasSubstr("got 1 token ids, want 2"));
  EXPECT_THAT(refusal({.token_ids = {1}, .lengths = {1, 0}}, 2), HasSubstr("one of 0 tokens"));
  EXPECT_THAT(refusal({.token_ids = {1}, .lengths = {1}}, 2), HasSubstr("1 texts for batch 2"));
  EXPECT_THAT(refusal({.values = {1, 2}}, 1), HasSubstr("got images, want texts"));
  EXPECT_THAT(std::string(SubmitTexts({17}).message()), HasSubstr("17 tokens, want 1..16"));
  EXPECT_EQ(base::ReasonOf(SubmitTexts({1, 1, 1, 1, 1})), "JOB_SHAPE");
  TestJob image = MakeTextJob({1}, 1);
  EXPECT_EQ(base::ReasonOf(dispatcher_.Submit(std::move(image.job))), "JOB_SHAPE");
}

TEST_F(TextDispatcherTest, Deadline_IsHeldAgainstTheTokens) {
  EXPECT_EQ(base::ReasonOf(SubmitTexts({10, 6}, In(absl::Milliseconds(15)))), "DEADLINE_TOO_SHORT");
  EXPECT_TRUE(SubmitTexts({10, 6}, In(absl::Milliseconds(17))).ok());
  const absl::Status behind = SubmitTexts({4}, In(absl::Milliseconds(18)));
  EXPECT_EQ(base::ReasonOf(behind), "DEADLINE_UNREACHABLE");
  EXPECT_EQ(base::RetryDelayOf(behind), absl::Milliseconds(16));
  EXPECT_TRUE(SubmitTexts({4}, In(absl::Milliseconds(21))).ok());
}

TEST_F(TextDispatcherTest, BusyLaneOnShortTexts_IsNotTakenForAFullBudget) {
  ASSERT_TRUE(SubmitTexts({2}).ok());
  ASSERT_TRUE(texts_.NextBatch().has_value());
  // Half of a batch of four such texts is 4 ms; half of the budget would be 8 ms.
  EXPECT_TRUE(SubmitTexts({2}, In(absl::Milliseconds(7))).ok());
  texts_.Finish({.rows = 1, .tokens = 2});
}

TEST_F(TextDispatcherTest, FullQueue_CountsTokensInBytes) {
  // Each token has 8 bytes, each text 8 more.
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(SubmitTexts({12}).ok());
  EXPECT_EQ(texts_.depth().tokens, 108u);
  EXPECT_EQ(texts_.depth().bytes, 936u);
  EXPECT_EQ(base::ReasonOf(SubmitTexts({8})), "QUEUE_FULL");
  EXPECT_TRUE(SubmitTexts({7}).ok());
}

TEST_F(DispatcherTest, OldestWait_IsOfTheHead) {
  ASSERT_TRUE(Submit(1).ok());
  clock_.Advance(absl::Milliseconds(7));
  EXPECT_EQ(dispatcher_.OldestWait(), absl::Milliseconds(7));
}

}  // namespace
}  // namespace hydra::batching
