#include "model/calibration/histogram.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"

namespace hydra::calibration {
namespace {

using ::testing::ElementsAre;

TEST(QuantileHistogramTest, DistinctScores_FillBinsEqually) {
  std::vector<double> scores;
  for (int i = 20; i-- > 0;) scores.push_back(i);
  const auto histogram = QuantileHistogram(scores, 4);
  ASSERT_TRUE(histogram.ok()) << histogram.status();
  EXPECT_THAT(histogram->edges, ElementsAre(4, 9, 14));
  EXPECT_THAT(histogram->counts, ElementsAre(5, 5, 5, 5));
}

TEST(QuantileHistogramTest, FewValues_GetFewBins) {
  const auto histogram = QuantileHistogram(std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 10);
  ASSERT_TRUE(histogram.ok());
  EXPECT_THAT(histogram->edges, ElementsAre(0));
  EXPECT_THAT(histogram->counts, ElementsAre(9, 1));
}

TEST(QuantileHistogramTest, OneValue_KeepsABinForWhatLiesAbove) {
  const auto histogram = QuantileHistogram(std::vector<double>{2, 2}, 10);
  ASSERT_TRUE(histogram.ok());
  EXPECT_THAT(histogram->counts, ElementsAre(2, 0));
  EXPECT_EQ(BinOf(*histogram, 2.5), 1u);
}

TEST(QuantileHistogramTest, BadInput_IsRefused) {
  EXPECT_FALSE(QuantileHistogram({}, 10).ok());
  EXPECT_FALSE(QuantileHistogram(std::vector<double>{1}, 1).ok());
  EXPECT_FALSE(QuantileHistogram(std::vector<double>{INFINITY}, 2).ok());
}

TEST(BinOfTest, Edges_BelongToTheBinBelow) {
  const artifact::ReferenceHistogram histogram{.edges = {1.0, 2.0}, .counts = {1, 1, 1}};
  EXPECT_EQ(BinOf(histogram, -INFINITY), 0u);
  EXPECT_EQ(BinOf(histogram, 1.0), 0u);
  EXPECT_EQ(BinOf(histogram, 1.5), 1u);
  EXPECT_EQ(BinOf(histogram, 2.0), 1u);
  EXPECT_EQ(BinOf(histogram, 3.0), 2u);
  EXPECT_EQ(BinOf(histogram, NAN), 2u);
}

TEST(PopulationStabilityIndexTest, HandComputedShift) {
  const double expected = 0.25 * std::log(0.75 / 0.5) + -0.25 * std::log(0.25 / 0.5);
  EXPECT_NEAR(
      PopulationStabilityIndex(std::vector<size_t>{50, 50}, std::vector<size_t>{75, 25}).value(),
      expected, 1e-12);
}

TEST(PopulationStabilityIndexTest, EmptyBins_AreFloored) {
  const double floored = (1e-4 - 0.5) * std::log(1e-4 / 0.5) + (1.0 - 0.5) * std::log(1.0 / 0.5);
  EXPECT_NEAR(
      PopulationStabilityIndex(std::vector<size_t>{1, 1}, std::vector<size_t>{0, 9}).value(),
      floored, 1e-12);
}

TEST(PopulationStabilityIndexTest, SameDistribution_IsSmallAndShiftIsLarge) {
  base::Rng rng(4);
  std::vector<double> scores(5000);
  for (double& score : scores) score = rng.Normal();
  const auto histogram = QuantileHistogram(scores, 10).value();
  std::vector<size_t> same(histogram.counts.size(), 0), shifted(histogram.counts.size(), 0);
  for (int i = 0; i < 5000; ++i) ++same[BinOf(histogram, rng.Normal())];
  for (int i = 0; i < 5000; ++i) ++shifted[BinOf(histogram, rng.Normal() + 1.0)];
  EXPECT_LT(PopulationStabilityIndex(histogram.counts, same).value(), 0.02);
  EXPECT_GT(PopulationStabilityIndex(histogram.counts, shifted).value(), 0.25);
}

TEST(PopulationStabilityIndexTest, NothingSeenOrUnequalBins) {
  const std::vector<size_t> reference = {1, 2};
  EXPECT_EQ(PopulationStabilityIndex(reference, std::vector<size_t>{0, 0}).value(), 0.0);
  EXPECT_FALSE(PopulationStabilityIndex(reference, std::vector<size_t>{1}).ok());
  EXPECT_FALSE(PopulationStabilityIndex(std::vector<size_t>{0, 0}, std::vector<size_t>{1, 2}).ok());
}

}  // namespace
}  // namespace hydra::calibration
