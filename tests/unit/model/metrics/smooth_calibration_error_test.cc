#include "model/metrics/smooth_calibration_error.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "tests/golden/statistics/metric_golden.h"
#include "tests/unit/model/metrics/golden_rows.h"

namespace hydra::metrics {
namespace {

std::vector<ConfidentRow> ConfidentRows(const std::vector<double>& confidence,
                                        const std::vector<bool>& correct) {
  std::vector<ConfidentRow> rows;
  for (size_t i = 0; i < confidence.size(); ++i)
    rows.push_back({.confidence = confidence[i], .correct = correct[i]});
  return rows;
}

// The reference computes in float32.
TEST(SmoothCalibrationErrorTest, GoldenRows_EqualTorchUncertainty) {
  for (const golden::MetricCase& golden : golden::LoadMetricCases()) {
    SCOPED_TRACE(golden.name);
    const auto smooth = SmoothCalibrationError(ConfidentRows(golden.confidence, golden.correct));
    ASSERT_TRUE(smooth.ok()) << smooth.status();
    EXPECT_NEAR(smooth->error, golden.calibration.at("smooth"), 2e-5);
    EXPECT_DOUBLE_EQ(smooth->bandwidth, golden.calibration.at("smooth_bandwidth"));
  }
  size_t compared = 0;
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    if (!golden.libraries.contains("torch_uncertainty.smooth_ece")) continue;
    SCOPED_TRACE(golden.name);
    const GoldenRows rows = RowsOf(golden);
    const auto smooth = SmoothCalibrationError(ConfidentRows(rows.confidence, rows.correct));
    ASSERT_TRUE(smooth.ok()) << smooth.status();
    EXPECT_NEAR(smooth->error, golden.libraries.at("torch_uncertainty.smooth_ece"), 2e-5);
    ++compared;
  }
  EXPECT_GE(compared, 4u);
}

TEST(SmoothCalibrationErrorTest, CalibratedRows_HaveLittle_OverconfidentTheirGap) {
  base::Rng rng(8);
  std::vector<ConfidentRow> calibrated, overconfident;
  for (int i = 0; i < 20000; ++i) {
    const double confidence = 0.5 + rng.Uniform() / 2.0;
    const double draw = rng.Uniform();
    calibrated.push_back({confidence, draw < confidence});
    overconfident.push_back({confidence, draw < confidence - 0.2});
  }
  EXPECT_LT(SmoothCalibrationError(calibrated)->error, 0.012);
  EXPECT_NEAR(SmoothCalibrationError(overconfident)->error, 0.2, 0.015);
  std::reverse(calibrated.begin(), calibrated.end());
  EXPECT_LT(SmoothCalibrationError(calibrated)->error, 0.012);
}

TEST(SmoothCalibrationErrorTest, EqualOrExtremeConfidences_AreFinite) {
  for (const double confidence : {0.0, 0.5, 1.0}) {
    const auto smooth = SmoothCalibrationError(std::vector<ConfidentRow>(7, {confidence, true}));
    ASSERT_TRUE(smooth.ok());
    EXPECT_GE(smooth->error, 0.0);
    EXPECT_LE(smooth->error, 1.0 + 1e-9);
  }
}

TEST(SmoothCalibrationErrorTest, NoRowOrNoProbability_IsRefused) {
  EXPECT_FALSE(SmoothCalibrationError({}).ok());
  EXPECT_FALSE(SmoothCalibrationError(std::vector<ConfidentRow>{{1.5, true}}).ok());
}

}  // namespace
}  // namespace hydra::metrics
