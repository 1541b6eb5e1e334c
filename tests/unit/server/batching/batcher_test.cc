#include "server/batching/batcher.h"

#include <cmath>
#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/clock.h"
#include "model/base/rng.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_predictor.h"
#include "tests/unit/server/batching/testing_jobs.h"

namespace hydra::batching {
namespace {

using ::testing::HasSubstr;

constexpr runtime::PredictorShape kShape{.members = 3, .classes = 4, .row_values = 5};
constexpr runtime::PredictorShape kTexts{
    .members = 3, .classes = 4, .max_tokens = 32, .vocabulary = 100'000};

class BatcherTest : public ::testing::Test {
 protected:
  void Start(BatcherOptions options, fakes::FakePredictor::Hook hook = nullptr, size_t lanes = 1,
             const runtime::PredictorShape& shape = kShape) {
    std::vector<std::unique_ptr<runtime::Predictor>> predictors;
    for (size_t i = 0; i < lanes; ++i) {
      predictors.push_back(std::make_unique<fakes::FakePredictor>(shape, hook));
    }
    auto batcher =
        Batcher::Create(std::move(options), std::move(predictors), CostModel(), clock_, observer_);
    ASSERT_TRUE(batcher.ok()) << batcher.status();
    batcher_ = *std::move(batcher);
  }

  std::future<Answer> Submit(size_t rows, float first) {
    return Submit(MakeJob(rows, kShape.row_values, first));
  }

  std::future<Answer> Submit(TestJob test) {
    const absl::Status status = batcher_->Submit(std::move(test.job));
    EXPECT_TRUE(status.ok()) << status;
    return std::move(test.answer);
  }

  // Waits until eight rows are there, so that one batch holds all that a test submits.
  static BatcherOptions EightRows() {
    return {
        .former = {.max_batch_rows = 8, .max_queue_delay = absl::Hours(1), .ladder = {1, 2, 4, 8}}};
  }

  base::RealClock clock_;
  RecordingObserver observer_;
  std::unique_ptr<Batcher> batcher_;
};

std::vector<float> ExpectedLogits(size_t rows, float first) {
  std::vector<float> expected;
  for (size_t m = 0; m < kShape.members; ++m) {
    for (size_t b = 0; b < rows; ++b) {
      for (size_t c = 0; c < kShape.classes; ++c) {
        const std::vector<float> row = {first + static_cast<float>(b)};
        expected.push_back(fakes::FakePredictor::Logit(m, c, row));
      }
    }
  }
  return expected;
}

TEST_F(BatcherTest, JobsInOneBatch_GetTheirOwnRows) {
  Start(EightRows());
  auto first = Submit(3, 1000.0f);
  auto second = Submit(1, 2000.0f);
  auto third = Submit(4, 3000.0f);
  const Answer a = first.get(), b = second.get(), c = third.get();
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_EQ(a->member_logits, ExpectedLogits(3, 1000.0f));
  EXPECT_EQ(b->member_logits, ExpectedLogits(1, 2000.0f));
  EXPECT_EQ(c->member_logits, ExpectedLogits(4, 3000.0f));
  EXPECT_EQ(b->batch_rows, 8u);
  EXPECT_EQ(b->batch_jobs, 3u);
  EXPECT_EQ(b->dispatch_reason, DispatchReason::kFull);
  EXPECT_GE(a->timings.queue, absl::ZeroDuration());
}

TEST_F(BatcherTest, RandomTraffic_EveryRowAloneEqualsInBatch) {
  Start({.former = {.max_batch_rows = 8, .ladder = {1, 2, 4, 8}}}, nullptr, 2);
  base::Rng rng(11);
  std::vector<std::future<Answer>> answers;
  std::vector<size_t> rows;
  for (int i = 0; i < 300; ++i) {
    rows.push_back(1 + rng.UniformBelow(8));
    answers.push_back(Submit(rows.back(), 16.0f * static_cast<float>(i)));
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    const Answer answer = answers[i].get();
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->member_logits, ExpectedLogits(rows[i], 16.0f * static_cast<float>(i)));
  }
}

TEST_F(BatcherTest, RandomTextTraffic_EveryTextAloneEqualsInBatchWithinTheBudget) {
  constexpr size_t kBudget = 48;
  std::atomic<size_t> over_budget = 0;
  Start(
      {.former = {.max_batch_rows = 8, .ladder = {8}, .max_tokens = kBudget}},
      [&](absl::Span<const float> ids, size_t) {
        over_budget += ids.size() > kBudget;
        return absl::OkStatus();
      },
      2, kTexts);
  base::Rng rng(12);
  std::vector<std::future<Answer>> answers;
  std::vector<size_t> texts;
  for (int64_t i = 0; i < 300; ++i) {
    std::vector<size_t> lengths(1 + rng.UniformBelow(8));
    for (size_t& length : lengths) length = 1 + rng.UniformBelow(32);
    texts.push_back(lengths.size());
    answers.push_back(Submit(MakeTextJob(std::move(lengths), 16 * i)));
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    const Answer answer = answers[i].get();
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->member_logits, ExpectedLogits(texts[i], 16.0f * static_cast<float>(i)));
    EXPECT_EQ(answer->padded_rows, answer->batch_rows);
  }
  EXPECT_EQ(over_budget, 0u);
  batcher_->Stop();
  for (const BatchReport& report : observer_.reports()) {
    EXPECT_TRUE(report.tokens <= kBudget || report.jobs == 1) << report.tokens;
  }
}

TEST_F(BatcherTest, Padding_IsToTheNextRungAndReported) {
  Start({.former = {.max_batch_rows = 8, .ladder = {1, 4, 8}}});
  const Answer answer = Submit(3, 0.0f).get();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->padded_rows, 4u);
  EXPECT_EQ(answer->batch_rows, 3u);
}

TEST_F(BatcherTest, NonFiniteRow_FailsItsJobOnly) {
  Start(EightRows());
  auto good = Submit(4, 1.0f);
  auto bad = Submit(4, INFINITY);
  EXPECT_TRUE(good.get().ok());
  const Answer answer = bad.get();
  EXPECT_EQ(base::ReasonOf(answer.status()), "NON_FINITE_OUTPUT");
  batcher_->Stop();
  ASSERT_EQ(observer_.reports().size(), 1u);
  EXPECT_EQ(observer_.reports().front().failed_jobs, 1u);
}

TEST_F(BatcherTest, FailedPass_AnswersItsJobsAndTheLaneLives) {
  std::atomic<int> passes = 0;
  Start({.former = {.max_batch_rows = 1, .ladder = {1}}},
        [&](absl::Span<const float>, size_t) -> absl::Status {
          return passes++ == 0 ? absl::InternalError("kernel failed") : absl::OkStatus();
        });
  EXPECT_THAT(Submit(1, 0.0f).get().status().message(), HasSubstr("kernel failed"));
  EXPECT_TRUE(Submit(1, 0.0f).get().ok());
}

TEST_F(BatcherTest, OutOfMemory_IsTriedAgainInHalves) {
  Start(EightRows(), [](absl::Span<const float>, size_t batch) -> absl::Status {
    return batch > 2 ? absl::ResourceExhaustedError("out of memory") : absl::OkStatus();
  });
  std::vector<std::future<Answer>> answers;
  for (int i = 0; i < 5; ++i) answers.push_back(Submit(1, static_cast<float>(i)));
  auto too_large = Submit(3, 7.0f);
  for (size_t i = 0; i < answers.size(); ++i) {
    const Answer answer = answers[i].get();
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->member_logits, ExpectedLogits(1, static_cast<float>(i)));
  }
  EXPECT_EQ(too_large.get().status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(BatcherTest, OutOfMemoryOnTexts_IsTriedAgainInHalves) {
  BatcherOptions options = EightRows();
  Start(
      options,
      [](absl::Span<const float> ids, size_t) -> absl::Status {
        return ids.size() > 10 ? absl::ResourceExhaustedError("out of memory") : absl::OkStatus();
      },
      1, kTexts);
  std::vector<std::future<Answer>> answers;
  for (int64_t i = 0; i < 8; ++i) answers.push_back(Submit(MakeTextJob({4}, i)));
  for (size_t i = 0; i < answers.size(); ++i) {
    const Answer answer = answers[i].get();
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->member_logits, ExpectedLogits(1, static_cast<float>(i)));
  }
}

TEST_F(BatcherTest, JobCancelledBeforeLaunch_IsNotRun) {
  std::promise<void> entered, release;
  auto released = release.get_future().share();
  std::atomic<size_t> rows_run = 0;
  Start({.former = {.max_batch_rows = 1, .ladder = {1}}},
        [&](absl::Span<const float>, size_t batch) -> absl::Status {
          if (rows_run == 0) entered.set_value();
          rows_run += batch;
          released.wait();
          return absl::OkStatus();
        });
  auto running = Submit(1, 0.0f);
  entered.get_future().wait();
  auto flag = std::make_shared<CancelFlag>();
  TestJob waiting = MakeJob(1, kShape.row_values, 1.0f);
  waiting.job.cancel = flag;
  ASSERT_TRUE(batcher_->Submit(std::move(waiting.job)).ok());
  flag->Cancel();
  release.set_value();
  EXPECT_TRUE(running.get().ok());
  EXPECT_EQ(waiting.answer.get().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(rows_run, 1u);
}

TEST_F(BatcherTest, Drain_AnswersEverythingThatWaits) {
  Start(EightRows());
  auto waiting = Submit(3, 5.0f);
  EXPECT_TRUE(batcher_->Drain(clock_.MonotonicNow() + absl::Minutes(1)));
  const Answer answer = waiting.get();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->dispatch_reason, DispatchReason::kDrain);
  EXPECT_EQ(base::ReasonOf(batcher_->Submit(MakeJob(1, kShape.row_values, 0.0f).job)), "DRAINING");
}

TEST_F(BatcherTest, Hasten_EndsTheWaitForCompanionsAndTakesMore) {
  Start(EightRows());
  auto waiting = Submit(3, 5.0f);
  batcher_->Hasten();
  EXPECT_TRUE(waiting.get().ok());
  EXPECT_TRUE(Submit(1, 6.0f).get().ok());
}

TEST_F(BatcherTest, StopWithoutDrain_AnswersUnavailable) {
  Start(EightRows());
  auto waiting = Submit(3, 5.0f);
  batcher_->Stop();
  batcher_->Stop();
  EXPECT_EQ(waiting.get().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(BatcherTest, Lanes_Beat) {
  const absl::Time before = clock_.MonotonicNow();
  Start({}, nullptr, 2);
  ASSERT_EQ(batcher_->lanes().size(), 2u);
  for (const LaneHealth& lane : batcher_->lanes()) EXPECT_GE(lane.last_beat, before);
}

class MisshapenPredictor final : public runtime::Predictor {
 public:
  const runtime::PredictorShape& shape() const override { return shape_; }
  absl::StatusOr<std::vector<float>> Run(absl::Span<const float>, size_t) override {
    return std::vector<float>(1);
  }

 private:
  runtime::PredictorShape shape_ = kShape;
};

TEST(BatcherCreateTest, PassOfWrongSize_IsInternalAndNotRead) {
  base::RealClock clock;
  RecordingObserver observer;
  std::vector<std::unique_ptr<runtime::Predictor>> predictors;
  predictors.push_back(std::make_unique<MisshapenPredictor>());
  auto batcher = Batcher::Create({}, std::move(predictors), CostModel(), clock, observer);
  ASSERT_TRUE(batcher.ok());
  TestJob test = MakeJob(1, kShape.row_values, 0.0f);
  ASSERT_TRUE((*batcher)->Submit(std::move(test.job)).ok());
  EXPECT_THAT(test.answer.get().status().message(), HasSubstr("got 1 values, want 12"));
}

TEST(BatcherCreateTest, NoneOrDifferentPredictors_AreRefused) {
  base::RealClock clock;
  RecordingObserver observer;
  EXPECT_FALSE(Batcher::Create({}, {}, CostModel(), clock, observer).ok());
  std::vector<std::unique_ptr<runtime::Predictor>> predictors;
  predictors.push_back(std::make_unique<fakes::FakePredictor>(kShape));
  predictors.push_back(std::make_unique<fakes::FakePredictor>(
      runtime::PredictorShape{.members = 1, .classes = 4, .row_values = 5}));
  EXPECT_THAT(
      Batcher::Create({}, std::move(predictors), CostModel(), clock, observer).status().message(),
      HasSubstr("different shapes"));
}

TEST_F(BatcherTest, ExplainJob_RunsAloneAndGivesAttention) {
  Start({});
  TestJob test = MakeJob(1, kShape.row_values, 3.0f);
  test.job.companions = Companions::kNone;
  test.job.explain = {{.layer = 1, .head = 2, .member = 0}, {.layer = 0, .head = 1, .member = 2}};
  const std::vector<runtime::HeadQuery> heads = test.job.explain;
  ASSERT_TRUE(batcher_->Submit(std::move(test.job)).ok());
  const Answer answer = test.answer.get();
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->member_logits.empty());
  EXPECT_EQ(answer->dispatch_reason, DispatchReason::kAlone);
  ASSERT_EQ(answer->attention.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(answer->attention[i].probabilities,
              fakes::FakePredictor::Attention(heads[i], kShape.row_values + 1).probabilities);
  }
}

TEST_F(BatcherTest, ExplainJobWithCompanions_IsRefused) {
  Start({});
  TestJob test = MakeJob(1, kShape.row_values, 3.0f);
  test.job.explain = {{}};
  const absl::Status status = batcher_->Submit(std::move(test.job));
  EXPECT_EQ(base::ReasonOf(status), "JOB_SHAPE");
  TestJob two = MakeJob(2, kShape.row_values, 3.0f);
  two.job.companions = Companions::kNone;
  two.job.explain = {{}};
  EXPECT_EQ(base::ReasonOf(batcher_->Submit(std::move(two.job))), "JOB_SHAPE");
}

TEST_F(BatcherTest, ExplainPassThatFails_AnswersItsJobAndTheLaneGoesOn) {
  Start({}, [](absl::Span<const float> rows, size_t) {
    return rows.front() == 7.0f ? absl::InternalError("broken") : absl::OkStatus();
  });
  TestJob test = MakeJob(1, kShape.row_values, 7.0f);
  test.job.companions = Companions::kNone;
  test.job.explain = {{}};
  ASSERT_TRUE(batcher_->Submit(std::move(test.job)).ok());
  EXPECT_THAT(test.answer.get().status().message(), HasSubstr("broken"));
  TestJob next = MakeJob(1, kShape.row_values, 1.0f);
  ASSERT_TRUE(batcher_->Submit(std::move(next.job)).ok());
  EXPECT_TRUE(next.answer.get().ok());
}

}  // namespace
}  // namespace hydra::batching
