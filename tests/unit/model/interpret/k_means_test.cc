#include "model/interpret/k_means.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/base/status_detail.h"

namespace hydra::interpret {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two points around each of the values, in turns.
Points Pairs(const std::vector<double>& around) {
  Points points{.count = 2 * around.size(), .width = 1};
  for (const double offset : {-0.1, 0.1}) {
    for (const double value : around) points.values.push_back(value + offset);
  }
  return points;
}

TEST(KMeansTest, PairsApart_AreClustersNumberedByTheirFirstPoint) {
  const Points points = Pairs({8.0, -5.0, 2.0});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_THAT(KMeans(points, {.clusters = 3, .seed = seed}).value(),
                ElementsAre(0, 1, 2, 0, 1, 2));
  }
}

TEST(KMeansTest, NoiseInPlane_NoPointIsNearerToAnotherCentre) {
  base::Rng rng(2);
  Points points{.count = 60, .width = 2};
  for (size_t i = 0; i < 120; ++i) points.values.push_back(rng.Normal());
  const auto labels = KMeans(points, {.clusters = 4});
  ASSERT_TRUE(labels.ok());
  const Points centres = Centres(points, *labels, 4);
  for (size_t i = 0; i < points.count; ++i) {
    for (size_t c = 0; c < 4; ++c) {
      EXPECT_LE(SquaredDistance(points.row(i), centres.row((*labels)[i])),
                SquaredDistance(points.row(i), centres.row(c)) + 1e-12);
    }
  }
  EXPECT_EQ(*labels, KMeans(points, {.clusters = 4}).value());
}

TEST(KMeansTest, AsManyClustersAsPoints_EachIsAlone) {
  EXPECT_THAT(KMeans(Pairs({1.0, 2.0}), {.clusters = 4}).value(), ElementsAre(0, 1, 2, 3));
}

TEST(KMeansTest, FewerDistinctPointsThanClusters_IsNamed) {
  const Points points{.count = 4, .width = 1, .values = {1.0, 1.0, 2.0, 2.0}};
  const auto labels = KMeans(points, {.clusters = 3});
  EXPECT_EQ(base::ReasonOf(labels.status()), "TOO_FEW_DISTINCT_POINTS");
  EXPECT_THAT(labels.status().message(), HasSubstr("got 2 distinct points, want 3"));
}

TEST(KMeansTest, OptionsOutOfRange_AreRefused) {
  const Points points = Pairs({1.0});
  EXPECT_TRUE(absl::IsInvalidArgument(KMeans(points, {.clusters = 0}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(KMeans(points, {.clusters = 3}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(KMeans(points, {.clusters = 1, .restarts = 0}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      KMeans({.count = 2, .width = 1, .values = {1.0}}, {.clusters = 1}).status()));
}

}  // namespace
}  // namespace hydra::interpret
