#include "model/interpret/cluster_quality.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"

namespace hydra::interpret {
namespace {

using ::testing::HasSubstr;

TEST(MeasureClustersTest, PointsOnALine_EqualTheFormulasByHand) {
  // Clusters {0, 2} and {10}: spreads 1 and 0, centres 1 and 10.  The silhouettes are (10 - 2) /
  // 10, (8 - 2) / 8 and 0 for the point that is alone.
  const Points points{.count = 3, .width = 1, .values = {0.0, 2.0, 10.0}};
  const auto quality = MeasureClusters(points, std::vector<size_t>{0, 0, 1}, 2);
  ASSERT_TRUE(quality.ok()) << quality.status();
  EXPECT_NEAR(quality->davies_bouldin, 1.0 / 9.0, 1e-12);
  EXPECT_NEAR(quality->silhouette, (0.8 + 0.75) / 3.0, 1e-12);
}

TEST(MeasureClustersTest, EqualCentres_AreNamed) {
  const Points points{.count = 4, .width = 1, .values = {-1.0, 1.0, -2.0, 2.0}};
  const auto quality = MeasureClusters(points, std::vector<size_t>{0, 0, 1, 1}, 2);
  EXPECT_EQ(base::ReasonOf(quality.status()), "EQUAL_CENTRES");
}

TEST(MeasureClustersTest, LabelsThatDoNotFit_AreRefused) {
  const Points points{.count = 3, .width = 1, .values = {0.0, 2.0, 10.0}};
  const auto message = [&](const std::vector<size_t>& labels, size_t clusters) {
    return std::string(MeasureClusters(points, labels, clusters).status().message());
  };
  EXPECT_THAT(message({0, 0}, 2), HasSubstr("got 2 labels"));
  EXPECT_THAT(message({0, 1, 2}, 3), HasSubstr("want one a point and 2..points-1 clusters"));
  EXPECT_THAT(message({0, 0, 0}, 1), HasSubstr("of 1 clusters"));
  EXPECT_THAT(message({0, 0, 2}, 2), HasSubstr("got label 2, want below 2"));
  EXPECT_THAT(message({0, 0, 0}, 2), HasSubstr("cluster 1 is empty"));
}

}  // namespace
}  // namespace hydra::interpret
