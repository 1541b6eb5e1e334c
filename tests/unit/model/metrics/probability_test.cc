#include "model/metrics/probability.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/unit/model/metrics/golden_rows.h"

namespace hydra::metrics {
namespace {

TEST(MeasureProbabilitiesTest, GoldenCases_EqualReference) {
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    SCOPED_TRACE(golden.name);
    const auto metrics =
        MeasureProbabilities(RowsOf(golden).mean_probs, golden.shape.classes(), golden.labels);
    ASSERT_TRUE(metrics.ok()) << metrics.status();
    EXPECT_NEAR(metrics->accuracy, golden.reference.at("accuracy"), 1e-12);
    EXPECT_NEAR(metrics->nll, golden.reference.at("nll"), 1e-6);
    EXPECT_NEAR(metrics->brier, golden.reference.at("brier"), 1e-6);
    EXPECT_EQ(metrics->nll_clamped, 0u);
    EXPECT_EQ(metrics->n, golden.shape.batch());
  }
}

TEST(MeasureProbabilitiesTest, CertainMistake_ClampsAndCounts) {
  const auto metrics =
      MeasureProbabilities(std::vector<float>{1, 0, 0, 1}, 2, std::vector<size_t>{1, 1});
  ASSERT_TRUE(metrics.ok());
  EXPECT_NEAR(metrics->nll, -std::log(1e-12) / 2.0, 1e-9);
  EXPECT_EQ(metrics->nll_clamped, 1u);
  EXPECT_DOUBLE_EQ(metrics->brier, 1.0);  // (2 + 0) / 2
  EXPECT_DOUBLE_EQ(metrics->accuracy, 0.5);
}

TEST(MeasureProbabilitiesTest, BadInput_IsRefused) {
  const std::vector<size_t> label = {1};
  EXPECT_FALSE(MeasureProbabilities({}, 2, {}).ok());
  EXPECT_FALSE(MeasureProbabilities(std::vector<float>{1, 0, 0}, 2, label).ok());
  EXPECT_FALSE(MeasureProbabilities(std::vector<float>{1, 0}, 2, std::vector<size_t>{2}).ok());
  EXPECT_FALSE(MeasureProbabilities(std::vector<float>{NAN, 0}, 2, label).ok());
  EXPECT_FALSE(MeasureProbabilities(std::vector<float>{1.5f, -0.5f}, 2, label).ok());
}

}  // namespace
}  // namespace hydra::metrics
