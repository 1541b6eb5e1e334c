#include "server/batching/batch.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_predictor.h"
#include "tests/unit/server/batching/testing_jobs.h"

namespace hydra::batching {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr runtime::PredictorShape kShape{.members = 2, .classes = 2, .row_values = 2};

TEST(GatherRowsTest, JobsFollowEachOtherAndPaddingIsZero) {
  std::vector<QueuedJob> jobs;
  jobs.push_back({.job = MakeJob(1, 2, 5.0f).job});
  jobs.push_back({.job = MakeJob(2, 2, 7.0f).job});
  EXPECT_EQ(WorkOf(jobs).rows, 3u);
  BatchInput input{.rows = {.values = std::vector<float>(8, NAN)}};
  GatherRows(jobs, 4, 2, input);
  EXPECT_THAT(input.rows.values, ElementsAre(5, 0, 7, 0, 8, 0, 0, 0));
  EXPECT_EQ(input.padded_rows, 4u);
}

TEST(GatherRowsTest, TextsFollowEachOtherWithoutPadding) {
  std::vector<QueuedJob> jobs;
  jobs.push_back({.job = MakeTextJob({2}, 5).job});
  jobs.push_back({.job = MakeTextJob({1, 3}, 7).job});
  EXPECT_EQ(WorkOf(jobs), (Work{.rows = 3, .tokens = 6}));
  BatchInput input{.rows = {.token_ids = {9, 9}, .lengths = {2}}};
  GatherRows(jobs, 3, 0, input);
  EXPECT_THAT(input.rows.token_ids, ElementsAre(5, 0, 7, 8, 0, 0));
  EXPECT_THAT(input.rows.lengths, ElementsAre(2, 1, 3));
  EXPECT_TRUE(input.rows.values.empty());
}

class RunBatchTest : public ::testing::Test {
 protected:
  // The logits of the texts of MakeTextJob.
  static std::vector<float> Expected(size_t texts, float first) {
    std::vector<float> logits;
    for (size_t m = 0; m < kTexts.members; ++m) {
      for (size_t b = 0; b < texts; ++b) {
        for (size_t c = 0; c < kTexts.classes; ++c) {
          const std::vector<float> row = {first + static_cast<float>(b)};
          logits.push_back(fakes::FakePredictor::Logit(m, c, row));
        }
      }
    }
    return logits;
  }

  static constexpr runtime::PredictorShape kTexts{
      .members = 2, .classes = 3, .max_tokens = 8, .vocabulary = 100};
  std::vector<size_t> passes_;  // tokens of each
  fakes::FakePredictor predictor_{kTexts, [this](absl::Span<const float> ids, size_t) {
                                    passes_.push_back(ids.size());
                                    return absl::OkStatus();
                                  }};
};

TEST_F(RunBatchTest, TextsOverTheBudget_RunInPartsInOrder) {
  const BatchInput input{.rows = MakeTextJob({4, 4, 3, 8, 1, 1}, 20).job.rows, .padded_rows = 6};
  const auto logits = RunBatch(input, 8, predictor_);
  ASSERT_TRUE(logits.ok()) << logits.status();
  EXPECT_EQ(*logits, Expected(6, 20.0f));
  EXPECT_THAT(passes_, ElementsAre(8, 3, 8, 2));
}

TEST_F(RunBatchTest, TextsWithinTheBudget_RunAtOnce) {
  const BatchInput input{.rows = MakeTextJob({4, 4, 3}, 20).job.rows, .padded_rows = 3};
  EXPECT_EQ(RunBatch(input, 11, predictor_).value(), Expected(3, 20.0f));
  EXPECT_THAT(passes_, ElementsAre(11));
}

TEST_F(RunBatchTest, FailedPart_FailsTheWhole) {
  fakes::FakePredictor fails(kTexts, [](absl::Span<const float> ids, size_t) {
    return ids.size() == 3 ? absl::InternalError("kernel failed") : absl::OkStatus();
  });
  const BatchInput input{.rows = MakeTextJob({4, 4, 3}, 20).job.rows, .padded_rows = 3};
  EXPECT_THAT(RunBatch(input, 8, fails).status().message(), HasSubstr("kernel failed"));
}

TEST(ExtractRowsTest, CutsTheRowsOfEveryMember) {
  const std::vector<float> logits = {
      0,   1,   10,  11,  20,  21,  // member 0: three rows of two classes
      100, 101, 110, 111, 120, 121};
  const auto cut = ExtractRows(logits, kShape, 1, 2);
  ASSERT_TRUE(cut.ok());
  EXPECT_THAT(*cut, ElementsAre(10, 11, 20, 21, 110, 111, 120, 121));
}

TEST(ExtractRowsTest, NonFiniteLogit_IsNamedAndOthersAreNot) {
  std::vector<float> logits(12, 0.0f);
  logits[6 + 2 * 2 + 1] = INFINITY;  // member 1, row 2, class 1
  EXPECT_TRUE(ExtractRows(logits, kShape, 0, 2).ok());
  const absl::Status status = ExtractRows(logits, kShape, 1, 2).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(base::ReasonOf(status), "NON_FINITE_OUTPUT");
  EXPECT_THAT(status.message(), HasSubstr("row 1, member 1, class 1"));
}

}  // namespace
}  // namespace hydra::batching
