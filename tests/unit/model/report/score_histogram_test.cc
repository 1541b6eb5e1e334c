#include "model/report/score_histogram.h"

#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::report {
namespace {

using ::testing::ElementsAre;

TEST(BinScoresTest, TwoGroups_ShareTheirBins) {
  const std::vector<ScoreGroup> groups = {{"id", {0.0, 0.1, 0.2, 1.0}}, {"ood", {3.9, 4.0}}};
  const auto histogram = BinScores("energy", groups, 4);
  ASSERT_TRUE(histogram.ok()) << histogram.status();
  EXPECT_THAT(histogram->edges, ElementsAre(0.0, 1.0, 2.0, 3.0, 4.0));
  EXPECT_THAT(histogram->groups[0].shares, ElementsAre(0.75, 0.25, 0.0, 0.0));
  EXPECT_THAT(histogram->groups[1].shares, ElementsAre(0.0, 0.0, 0.0, 1.0));
}

TEST(BinScoresTest, Outlier_LandsInTheOuterBinAndDoesNotStretchTheRange) {
  std::vector<double> scores(2000);
  std::iota(scores.begin(), scores.end(), 0.0);
  scores.back() = 1e9;
  const std::vector<ScoreGroup> groups = {{"id", scores}};
  const auto histogram = BinScores("energy", groups, 10);
  ASSERT_TRUE(histogram.ok());
  EXPECT_LT(histogram->edges.back(), 2000.0);
  EXPECT_NEAR(histogram->groups[0].shares.back(), 0.1, 0.01);
  double sum = 0.0;
  for (const double share : histogram->groups[0].shares) sum += share;
  EXPECT_NEAR(sum, 1.0, 1e-9);
}

TEST(BinScoresTest, OneValue_StillHasWidth) {
  const std::vector<ScoreGroup> groups = {{"id", {0.0, 0.0}}};
  const auto histogram = BinScores("disagreement", groups, 3);
  ASSERT_TRUE(histogram.ok());
  EXPECT_GT(histogram->edges.back(), histogram->edges.front());
  EXPECT_NEAR(histogram->groups[0].shares[0], 1.0, 1e-12);
}

TEST(BinScoresTest, BadInput_IsRefused) {
  const std::vector<ScoreGroup> good = {{"id", {0.0}}}, empty = {{"id", {}}}, nan = {{"id", {NAN}}};
  EXPECT_FALSE(BinScores("energy", {}, 3).ok());
  EXPECT_FALSE(BinScores("energy", good, 0).ok());
  EXPECT_FALSE(BinScores("energy", empty, 3).ok());
  EXPECT_FALSE(BinScores("energy", nan, 3).ok());
}

}  // namespace
}  // namespace hydra::report
