// Many submitters, cancels, expiries and a drain at once; meant for ThreadSanitizer.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "model/base/clock.h"
#include "model/base/rng.h"
#include "server/batching/batcher.h"
#include "tests/fakes/fake_predictor.h"
#include "tests/unit/server/batching/testing_jobs.h"

namespace hydra::batching {
namespace {

constexpr runtime::PredictorShape kShape{.members = 2, .classes = 3, .row_values = 4};
constexpr runtime::PredictorShape kTexts{
    .members = 2, .classes = 3, .max_tokens = 16, .vocabulary = 10'000};
constexpr size_t kSubmitters = 8;
constexpr size_t kJobsEach = 400;
constexpr size_t kBeforeDrain = 32;  // half of the queue, so that they do come

struct Tally {
  std::atomic<size_t> accepted = 0;
  std::atomic<size_t> answered = 0;
  std::atomic<size_t> wrong = 0;
};

Job RandomJob(const runtime::PredictorShape& shape, float first, base::Rng& rng) {
  const size_t rows = 1 + rng.UniformBelow(4);
  if (!shape.takes_texts()) return MakeJob(rows, shape.row_values, first).job;
  std::vector<size_t> lengths(rows);
  for (size_t& length : lengths) length = 1 + rng.UniformBelow(shape.max_tokens);
  return MakeTextJob(std::move(lengths), static_cast<int64_t>(first)).job;
}

Job CountedJob(Tally& tally, Job job, float first, base::Rng& rng, const base::Clock& clock) {
  if (rng.UniformBelow(4) == 0) {
    job.deadline = clock.MonotonicNow() + absl::Microseconds(1 + rng.UniformBelow(2000));
  }
  job.done = [&tally, first](absl::StatusOr<JobResult> answer) {
    tally.answered += 1;
    const std::vector<float> row = {first};
    if (answer.ok() && answer->member_logits[0] != fakes::FakePredictor::Logit(0, 0, row)) {
      tally.wrong += 1;
    }
  };
  return job;
}

void SubmitMany(Batcher& batcher, Tally& tally, const base::Clock& clock, size_t submitter) {
  base::Rng rng(submitter);
  for (size_t i = 0; i < kJobsEach; ++i) {
    const float first = static_cast<float>(submitter * kJobsEach + i);
    Job job = CountedJob(tally, RandomJob(batcher.shape(), first, rng), first, rng, clock);
    auto flag = std::make_shared<CancelFlag>();
    job.cancel = flag;
    tally.accepted += batcher.Submit(std::move(job)).ok();
    if (rng.UniformBelow(3) == 0) flag->Cancel();
  }
}

void Stress(const runtime::PredictorShape& shape, absl::Duration drain_time) {
  base::RealClock clock;
  RecordingObserver observer;
  std::vector<std::unique_ptr<runtime::Predictor>> predictors;
  for (int i = 0; i < 3; ++i) {
    predictors.push_back(std::make_unique<fakes::FakePredictor>(
        shape, [passes = 0](absl::Span<const float>, size_t) mutable -> absl::Status {
          return ++passes % 17 == 0 ? absl::InternalError("every 17th pass fails")
                                    : absl::OkStatus();
        }));
  }
  auto batcher = Batcher::Create({.former = {.max_batch_rows = 8,
                                             .max_queue_delay = absl::Microseconds(200),
                                             .ladder = {1, 2, 4, 8},
                                             .max_tokens = 24},
                                  .queue = {.max_requests = 64}},
                                 std::move(predictors), CostModel(), clock, observer);
  ASSERT_TRUE(batcher.ok());
  Tally tally;
  {
    std::vector<std::jthread> submitters;
    for (size_t s = 0; s < kSubmitters; ++s) {
      submitters.emplace_back([&, s] { SubmitMany(**batcher, tally, clock, s); });
    }
    while (tally.answered < kBeforeDrain) std::this_thread::yield();
    (*batcher)->depth();
    (*batcher)->lanes();
    (*batcher)->Drain(clock.MonotonicNow() + drain_time);
    (*batcher)->Stop();
  }
  EXPECT_GE(tally.accepted, kBeforeDrain);
  EXPECT_EQ(tally.answered, tally.accepted);
  EXPECT_EQ(tally.wrong, 0u);
  EXPECT_EQ((*batcher)->depth().requests, 0u);
  EXPECT_EQ((*batcher)->in_flight_rows(), 0u);
}

TEST(BatcherStressTest, DrainUnderLoad_EveryAcceptedJobIsAnsweredOnce) {
  Stress(kShape, absl::Minutes(1));
  Stress(kTexts, absl::Minutes(1));
}

TEST(BatcherStressTest, StopUnderLoad_EveryAcceptedJobIsAnsweredOnce) {
  Stress(kShape, absl::ZeroDuration());
  Stress(kTexts, absl::ZeroDuration());
}

}  // namespace
}  // namespace hydra::batching
