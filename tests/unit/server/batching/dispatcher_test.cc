#include "server/batching/dispatcher.h"

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
      DispatcherOptions{.bounds = {.max_requests = 3}, .row_values = kRowValues, .lanes = 1},
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
  dispatcher_.Finish(3);
  EXPECT_EQ(dispatcher_.in_flight_rows(), 0u);
}

TEST_F(DispatcherTest, WrongShape_IsRefused) {
  EXPECT_EQ(base::ReasonOf(Submit(0)), "JOB_SHAPE");
  EXPECT_EQ(base::ReasonOf(Submit(5)), "JOB_SHAPE");
  TestJob test = MakeJob(2, kRowValues + 1, 0.0f);
  const absl::Status status = dispatcher_.Submit(std::move(test.job));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("2 rows of 6 values"));
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
  dispatcher_.Finish(4);
  EXPECT_TRUE(Submit(1, In(absl::Milliseconds(25))).ok());
}

TEST_F(DispatcherTest, EveryDeadlineTooShort_LetsAProbeThrough) {
  size_t admitted = 0;
  for (int i = 0; i < 256; ++i) {
    if (Submit(1, In(absl::Milliseconds(1))).ok()) {
      ++admitted;
      dispatcher_.Finish(CountRows(dispatcher_.NextBatch()->jobs));
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
  dispatcher_.Finish(1);
  EXPECT_TRUE(dispatcher_.Drain(clock_.MonotonicNow()));
}

TEST_F(DispatcherTest, Stop_AnswersWhatWaitsAndEndsTheLane) {
  ASSERT_TRUE(Submit(1).ok());
  dispatcher_.Stop();
  EXPECT_EQ(answers_[0].get().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(dispatcher_.NextBatch(), std::nullopt);
  EXPECT_THAT(observer_.drops(), ElementsAre("stop DRAINING"));
}

TEST_F(DispatcherTest, OldestWait_IsOfTheHead) {
  ASSERT_TRUE(Submit(1).ok());
  clock_.Advance(absl::Milliseconds(7));
  EXPECT_EQ(dispatcher_.OldestWait(), absl::Milliseconds(7));
}

}  // namespace
}  // namespace hydra::batching
