#include "model/metrics/calibration_error.h"

#include <cmath>

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "tests/golden/statistics/metric_golden.h"
#include "tests/unit/model/metrics/golden_rows.h"

namespace hydra::metrics {
namespace {

std::vector<ConfidentRow> ConfidentRows(const golden::UncertaintyCase& golden) {
  const GoldenRows rows = RowsOf(golden);
  std::vector<ConfidentRow> confident;
  for (size_t i = 0; i < rows.confidence.size(); ++i) {
    confident.push_back({.confidence = rows.confidence[i], .correct = rows.correct[i]});
  }
  return confident;
}

TEST(EqualWidthBinsTest, GoldenCases_EqualReferenceErrors) {
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    SCOPED_TRACE(golden.name);
    const auto bins = EqualWidthBins(ConfidentRows(golden));
    ASSERT_TRUE(bins.ok()) << bins.status();
    EXPECT_NEAR(ExpectedCalibrationError(*bins), golden.reference.at("ece15"), 1e-9);
    EXPECT_NEAR(MaximumCalibrationError(*bins), golden.reference.at("mce15"), 1e-9);
    const auto ten = EqualWidthBins(ConfidentRows(golden), 10);
    ASSERT_TRUE(ten.ok());
    EXPECT_NEAR(ExpectedCalibrationError(*ten), golden.reference.at("ece10"), 1e-9);
  }
}

TEST(EqualCountBinsTest, GoldenCasesWithoutTies_EqualTorchUncertainty) {
  size_t compared = 0;
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    if (golden.name == "ties" || !golden.libraries.contains("torch_uncertainty.aece15")) continue;
    SCOPED_TRACE(golden.name);
    const auto bins = EqualCountBins(ConfidentRows(golden));
    ASSERT_TRUE(bins.ok()) << bins.status();
    EXPECT_NEAR(ExpectedCalibrationError(*bins), golden.libraries.at("torch_uncertainty.aece15"),
                2e-6);
    ++compared;
  }
  EXPECT_EQ(compared, 4u);
}

std::vector<ConfidentRow> ConfidentRows(const golden::MetricCase& golden) {
  std::vector<ConfidentRow> rows;
  for (size_t i = 0; i < golden.confidence.size(); ++i)
    rows.push_back({.confidence = golden.confidence[i], .correct = golden.correct[i]});
  return rows;
}

TEST(TorchmetricsBinsTest, RowsOnEdges_EqualTorchmetrics) {
  for (const golden::MetricCase& golden : golden::LoadMetricCases()) {
    SCOPED_TRACE(golden.name);
    for (const size_t count : {10u, 15u}) {
      const auto bins = TorchmetricsBins(ConfidentRows(golden), count);
      ASSERT_TRUE(bins.ok()) << bins.status();
      ASSERT_EQ(bins->size(), count + 1);
      const std::string of = "_" + std::to_string(count);
      EXPECT_NEAR(ExpectedCalibrationError(*bins), golden.calibration.at("l1" + of), 1e-6);
      EXPECT_NEAR(RootMeanSquareCalibrationError(*bins), golden.calibration.at("l2" + of), 1e-6);
      EXPECT_NEAR(MaximumCalibrationError(*bins), golden.calibration.at("max" + of), 1e-6);
    }
  }
}

TEST(TorchmetricsBinsTest, ConfidenceOne_HasABinOfItsOwn) {
  const auto bins = TorchmetricsBins(std::vector<ConfidentRow>{{1.0, true}, {0.97, false}});
  ASSERT_TRUE(bins.ok());
  EXPECT_EQ(bins->back().count, 1u);
  EXPECT_EQ((*bins)[14].count, 1u);
  EXPECT_FALSE(TorchmetricsBins({}).ok());
}

TEST(EqualWidthBinsTest, ConfidenceOne_FoldsIntoTheLastBin) {
  const std::vector<ConfidentRow> rows = {{1.0, true}, {0.97, false}, {0.0, false}};
  const auto bins = EqualWidthBins(rows);
  ASSERT_TRUE(bins.ok());
  ASSERT_EQ(bins->size(), 15u);
  EXPECT_EQ(bins->back().count, 2u);
  EXPECT_DOUBLE_EQ(bins->back().accuracy, 0.5);
  EXPECT_DOUBLE_EQ(bins->back().high, 1.0);
  EXPECT_EQ(bins->front().count, 1u);
}

TEST(EqualCountBinsTest, TiedRows_DoNotDependOnTheirOrder) {
  std::vector<ConfidentRow> rows;
  for (int i = 0; i < 30; ++i) rows.push_back({.confidence = 0.8, .correct = i < 15});
  const auto bins = EqualCountBins(rows, 2);
  ASSERT_TRUE(bins.ok());
  EXPECT_NEAR(ExpectedCalibrationError(*bins), 0.3, 1e-12);
}

TEST(EqualCountBinsTest, FewRows_GiveOneBinEach) {
  const std::vector<ConfidentRow> rows = {{0.9, true}, {0.6, false}};
  const auto bins = EqualCountBins(rows);
  ASSERT_TRUE(bins.ok());
  EXPECT_EQ(bins->size(), 2u);
  EXPECT_NEAR(ExpectedCalibrationError(*bins), (0.1 + 0.6) / 2.0, 1e-12);
}

TEST(CalibrationNoiseFloorTest, CalibratedRows_ShowAboutTheFloor) {
  base::Rng rng(8);
  double error = 0.0, floor = 0.0;
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<ConfidentRow> rows(1500);
    for (ConfidentRow& row : rows) {
      row.confidence = 0.2 + 0.8 * rng.Uniform();
      row.correct = rng.Uniform() < row.confidence;
    }
    const auto bins = EqualWidthBins(rows).value();
    error += ExpectedCalibrationError(bins) / 200.0;
    floor += CalibrationNoiseFloor(bins) / 200.0;
  }
  EXPECT_NEAR(error / floor, 1.0, 0.03);
}

TEST(ReliabilityBinsTest, BadInput_IsRefused) {
  const std::vector<ConfidentRow> rows = {{0.5, true}};
  for (const auto bins_of : {EqualWidthBins, EqualCountBins}) {
    EXPECT_FALSE(bins_of({}, 15).ok());
    EXPECT_FALSE(bins_of(rows, 0).ok());
    EXPECT_FALSE(bins_of(std::vector<ConfidentRow>{{NAN, true}}, 15).ok());
    EXPECT_FALSE(bins_of(std::vector<ConfidentRow>{{1.1, true}}, 15).ok());
    EXPECT_FALSE(bins_of(std::vector<ConfidentRow>{{-0.1, true}}, 15).ok());
  }
}

TEST(ExpectedCalibrationErrorTest, NoRows_IsZero) {
  EXPECT_EQ(ExpectedCalibrationError({}), 0.0);
  EXPECT_EQ(MaximumCalibrationError({}), 0.0);
  EXPECT_EQ(CalibrationNoiseFloor({}), 0.0);
}

}  // namespace
}  // namespace hydra::metrics
