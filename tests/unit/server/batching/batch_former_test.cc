#include "server/batching/batch_former.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_clock.h"
#include "tests/unit/server/batching/testing_jobs.h"

namespace hydra::batching {
namespace {

using ::testing::HasSubstr;

FormerOptions Options() {
  return {.max_batch_rows = 8,
          .max_queue_delay = absl::Milliseconds(10),
          .ladder = {1, 2, 4, 8},
          .max_tokens = 64};
}

class BatchFormerTest : public ::testing::Test {
 protected:
  void Push(size_t rows, absl::Duration time_left = absl::InfiniteDuration()) {
    queue_.Push(MakeJob(rows, 1, 0.0f, clock_.MonotonicNow() + time_left).job,
                clock_.MonotonicNow());
  }

  void PushTexts(std::vector<size_t> lengths, absl::Duration time_left = absl::InfiniteDuration()) {
    queue_.Push(MakeTextJob(std::move(lengths), 1, clock_.MonotonicNow() + time_left).job,
                clock_.MonotonicNow());
  }

  void PushAlone(size_t rows) {
    Job job = MakeJob(rows, 1, 0.0f).job;
    job.companions = Companions::kNone;
    queue_.Push(std::move(job), clock_.MonotonicNow());
  }

  Decision Decide(Arrivals arrivals = Arrivals::kOpen) {
    return former_.Decide(queue_, cost_, arrivals, clock_.MonotonicNow());
  }

  fakes::FakeClock clock_;
  JobQueue queue_{QueueBounds{}};
  BatchFormer former_ = BatchFormer::Create(Options()).value();
  // 1 ms a row and 1 ms a batch.
  CostModel cost_{
      std::vector<CostModel::Sample>{{1, absl::Milliseconds(2)}, {8, absl::Milliseconds(9)}}};
};

TEST_F(BatchFormerTest, EmptyQueue_SleepsForEver) {
  const Decision decision = Decide();
  EXPECT_EQ(decision.jobs, 0u);
  EXPECT_EQ(decision.wake, absl::InfiniteFuture());
}

TEST_F(BatchFormerTest, LoneJob_WaitsForTheDelayOfTheOldest) {
  Push(1);
  const absl::Time pushed = clock_.MonotonicNow();
  clock_.Advance(absl::Milliseconds(4));
  Push(2);
  const Decision waiting = Decide();
  EXPECT_EQ(waiting.jobs, 0u);
  EXPECT_EQ(waiting.wake, pushed + absl::Milliseconds(10));
  clock_.Advance(absl::Milliseconds(6));
  const Decision due = Decide();
  EXPECT_EQ(due.reason, DispatchReason::kDelay);
  EXPECT_EQ(due.jobs, 2u);
  EXPECT_EQ(due.work.rows, 3u);
  EXPECT_EQ(due.padded_rows, 4u);
}

TEST_F(BatchFormerTest, EnoughRows_GoAtOnce) {
  Push(5);
  Push(3);
  Push(1);
  const Decision decision = Decide();
  EXPECT_EQ(decision.reason, DispatchReason::kFull);
  EXPECT_EQ(decision.jobs, 2u);
  EXPECT_EQ(decision.work.rows, 8u);
}

TEST_F(BatchFormerTest, NextJobDoesNotFit_GoesWithoutIt) {
  Push(5);
  Push(4);
  const Decision decision = Decide();
  EXPECT_EQ(decision.reason, DispatchReason::kFull);
  EXPECT_EQ(decision.jobs, 1u);
  EXPECT_EQ(decision.padded_rows, 8u);
}

TEST_F(BatchFormerTest, TightDeadline_GoesWhileItCanBeMet) {
  Push(1, absl::Milliseconds(8));
  const absl::Time latest =
      clock_.MonotonicNow() + absl::Milliseconds(8 - 2) - absl::Microseconds(500);
  EXPECT_NEAR(absl::ToDoubleMilliseconds(Decide().wake - latest), 0.0, 1e-3);
  clock_.Advance(absl::Milliseconds(6));
  EXPECT_EQ(Decide().reason, DispatchReason::kDeadline);
}

TEST_F(BatchFormerTest, JobWithoutCompanions_RunsAlone) {
  Push(1);
  PushAlone(2);
  Push(1);
  const Decision before = Decide();
  EXPECT_EQ(before.jobs, 1u);
  EXPECT_EQ(before.reason, DispatchReason::kFull);
  queue_.PopFront();
  const Decision alone = Decide();
  EXPECT_EQ(alone.jobs, 1u);
  EXPECT_EQ(alone.reason, DispatchReason::kAlone);
  EXPECT_EQ(alone.padded_rows, 2u);
}

TEST_F(BatchFormerTest, Draining_DoesNotWait) {
  Push(1);
  EXPECT_EQ(Decide(Arrivals::kClosed).reason, DispatchReason::kDrain);
}

TEST_F(BatchFormerTest, DelayZero_TakesWhatIsThere) {
  FormerOptions options = Options();
  options.max_queue_delay = absl::ZeroDuration();
  former_ = BatchFormer::Create(options).value();
  Push(3);
  EXPECT_EQ(Decide().reason, DispatchReason::kDelay);
}

TEST_F(BatchFormerTest, PaddedRows_AreTheSmallestRungThatHoldsImages) {
  EXPECT_EQ(former_.PaddedRows({.rows = 1}), 1u);
  EXPECT_EQ(former_.PaddedRows({.rows = 3}), 4u);
  EXPECT_EQ(former_.PaddedRows({.rows = 8}), 8u);
  EXPECT_EQ(former_.CostUnits({.rows = 3}), 4u);
  EXPECT_EQ(former_.FullBatchUnits({.rows = 3}), 8u);
}

TEST_F(BatchFormerTest, Texts_AreNotPaddedAndCostTheirTokens) {
  EXPECT_EQ(former_.PaddedRows({.rows = 3, .tokens = 20}), 3u);
  EXPECT_EQ(former_.CostUnits({.rows = 3, .tokens = 20}), 20u);
  EXPECT_EQ(former_.FullBatchUnits({.rows = 3, .tokens = 10}), 27u);  // eight such texts
  EXPECT_EQ(former_.FullBatchUnits({.rows = 3, .tokens = 90}), 64u);  // two such texts
}

TEST_F(BatchFormerTest, LongText_DoesNotJoinBeyondTheTokenBudget) {
  PushTexts({10, 10});
  PushTexts({50});
  PushTexts({4});
  const Decision first = Decide();
  EXPECT_EQ(first.reason, DispatchReason::kFull);
  EXPECT_EQ(first.jobs, 1u);
  EXPECT_EQ(first.work, (Work{.rows = 2, .tokens = 20}));
  EXPECT_EQ(first.padded_rows, 2u);
  queue_.PopFront();
  EXPECT_EQ(Decide(Arrivals::kClosed).work, (Work{.rows = 2, .tokens = 54}));
}

TEST_F(BatchFormerTest, TokenBudgetReached_GoesAtOnce) {
  PushTexts({60});
  EXPECT_EQ(Decide().jobs, 0u);
  PushTexts({4});
  const Decision decision = Decide();
  EXPECT_EQ(decision.reason, DispatchReason::kFull);
  EXPECT_EQ(decision.jobs, 2u);
}

TEST_F(BatchFormerTest, JobOverTheTokenBudget_GoesAlone) {
  PushTexts({40, 40});
  PushTexts({1});
  const Decision decision = Decide();
  EXPECT_EQ(decision.reason, DispatchReason::kFull);
  EXPECT_EQ(decision.jobs, 1u);
  EXPECT_EQ(decision.work.tokens, 80u);
}

TEST_F(BatchFormerTest, ManyShortTexts_AreBoundedByRows) {
  for (int i = 0; i < 9; ++i) PushTexts({2});
  const Decision decision = Decide();
  EXPECT_EQ(decision.reason, DispatchReason::kFull);
  EXPECT_EQ(decision.work, (Work{.rows = 8, .tokens = 16}));
}

TEST_F(BatchFormerTest, DeadlineOfTexts_CountsTheirTokens) {
  PushTexts({20}, absl::Milliseconds(30));  // 1 ms a token and 1 ms a batch
  const absl::Time latest =
      clock_.MonotonicNow() + absl::Milliseconds(30 - 21) - absl::Microseconds(500);
  EXPECT_NEAR(absl::ToDoubleMilliseconds(Decide().wake - latest), 0.0, 1e-3);
}

TEST(BatchFormerCreateTest, BadOptions_AreRefusedByName) {
  const auto message = [](FormerOptions options) {
    return std::string(BatchFormer::Create(std::move(options)).status().message());
  };
  EXPECT_THAT(message({.max_batch_rows = 0}), HasSubstr("max_batch_rows: got 0"));
  EXPECT_THAT(message({.max_batch_rows = 8, .ladder = {1, 4}}), HasSubstr("got [1, 4]"));
  EXPECT_THAT(message({.max_batch_rows = 4, .ladder = {2, 2, 4}}), HasSubstr("got [2, 2, 4]"));
  EXPECT_THAT(message({.max_batch_rows = 4, .ladder = {0, 4}}), HasSubstr("got [0, 4]"));
  EXPECT_THAT(message({.max_batch_rows = 4, .ladder = {}}), HasSubstr("got []"));
  EXPECT_THAT(message({.max_queue_delay = -absl::Seconds(1)}), HasSubstr("max_queue_delay"));
  EXPECT_THAT(message({.max_tokens = 0}), HasSubstr("max_tokens: got 0"));
}

}  // namespace
}  // namespace hydra::batching
