#include "server/batching/cost_model.h"

#include <vector>

#include "gtest/gtest.h"

namespace hydra::batching {
namespace {

double Milliseconds(absl::Duration duration) { return absl::ToDoubleMilliseconds(duration); }

std::vector<CostModel::Sample> Line(double per_row_ms, double fixed_ms) {
  std::vector<CostModel::Sample> samples;
  for (const size_t rows : {1, 2, 4, 8, 16, 32}) {
    samples.push_back({rows, absl::Milliseconds(per_row_ms * rows + fixed_ms)});
  }
  return samples;
}

TEST(CostModelTest, ExactLine_IsRecovered) {
  const CostModel model(Line(2.0, 3.0));
  EXPECT_NEAR(Milliseconds(model.Estimate(1)), 5.0, 1e-6);
  EXPECT_NEAR(Milliseconds(model.Estimate(24)), 51.0, 1e-6);
}

TEST(CostModelTest, NoSamples_TakesBatchesToBeFree) {
  CostModel model;
  model.Observe({4, absl::Seconds(1)});
  EXPECT_EQ(model.Estimate(32), absl::ZeroDuration());
}

TEST(CostModelTest, OneSize_IsProportional) {
  const CostModel model(std::vector<CostModel::Sample>{{4, absl::Milliseconds(8)}});
  EXPECT_NEAR(Milliseconds(model.Estimate(8)), 16.0, 1e-6);
}

TEST(CostModelTest, SlopeBelowZero_BecomesConstant) {
  const CostModel model(
      std::vector<CostModel::Sample>{{1, absl::Milliseconds(10)}, {8, absl::Milliseconds(9)}});
  EXPECT_EQ(model.Estimate(1), model.Estimate(8));
  EXPECT_GT(model.Estimate(1), absl::Milliseconds(9));
}

TEST(CostModelTest, InterceptBelowZero_BecomesProportional) {
  const CostModel model(
      std::vector<CostModel::Sample>{{1, absl::Milliseconds(1)}, {8, absl::Milliseconds(20)}});
  EXPECT_NEAR(Milliseconds(model.Estimate(8)), 8.0 * Milliseconds(model.Estimate(1)), 1e-5);
}

TEST(CostModelTest, SamplesWithoutRowsOrTime_DoNotCount) {
  std::vector<CostModel::Sample> samples = Line(2.0, 3.0);
  samples.push_back({0, absl::Seconds(9)});
  samples.push_back({4, absl::ZeroDuration()});
  EXPECT_NEAR(Milliseconds(CostModel(samples).Estimate(8)), 19.0, 1e-6);
}

TEST(CostModelTest, SlowerMachine_IsFollowed) {
  CostModel model(Line(2.0, 3.0));
  for (int i = 0; i < 200; ++i) model.Observe({1, absl::Milliseconds(15)});
  EXPECT_NEAR(Milliseconds(model.Estimate(1)), 15.0, 0.1);
  EXPECT_NEAR(Milliseconds(model.Estimate(32)), 3.0 * 67.0, 1.0);
}

TEST(CostModelTest, OneStall_MovesTheEstimateByHalfAtMost) {
  CostModel model(Line(2.0, 3.0));
  model.Observe({1, absl::Seconds(60)});
  EXPECT_LE(Milliseconds(model.Estimate(1)), 5.0 * 1.46);
}

}  // namespace
}  // namespace hydra::batching
