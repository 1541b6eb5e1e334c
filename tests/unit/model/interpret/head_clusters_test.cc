#include "model/interpret/head_clusters.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/base/status_detail.h"
#include "tests/golden/interpret/interpret_golden.h"

namespace hydra::interpret {
namespace {

using ::testing::HasSubstr;

std::vector<double> Noise(size_t count) {
  base::Rng rng(8);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(rng.Normal());
  return values;
}

TEST(ClusterHeadsTest, GoldenCases_EqualScikitLearn) {
  for (const golden::ClusterCase& golden : golden::LoadClusterCases()) {
    SCOPED_TRACE(golden.name);
    const auto clusters = ClusterHeads(
        golden.features, {.layers = golden.layers, .heads = golden.heads},
        {.clusters = golden.clusters, .affinity = ParseAffinity(golden.affinity).value()});
    ASSERT_TRUE(clusters.ok()) << clusters.status();
    for (size_t i = 0; i < golden.labels.size(); ++i) {
      EXPECT_EQ(clusters->ids[i / golden.heads][i % golden.heads], golden.labels[i]) << i;
    }
    for (size_t c = 0; c < golden.clusters; ++c) {
      const HeadPlace& place = clusters->representatives[c];
      EXPECT_EQ(place.layer * golden.heads + place.head, golden.representatives[c]) << c;
    }
    EXPECT_NEAR(clusters->davies_bouldin, golden.davies_bouldin, 1e-9);
    EXPECT_NEAR(clusters->silhouette, golden.silhouette, 1e-9);
    EXPECT_FALSE(clusters->degenerate);
  }
}

TEST(ClusterHeadsTest, AnySeed_GivesTheSameClustersOfHeadsThatAreApart) {
  const golden::ClusterCase golden = golden::LoadClusterCases().front();
  const HeadGrid grid{.layers = golden.layers, .heads = golden.heads};
  const auto first = ClusterHeads(golden.features, grid, {.clusters = 3, .seed = 0});
  const auto other = ClusterHeads(golden.features, grid, {.clusters = 3, .seed = 99});
  ASSERT_TRUE(first.ok() && other.ok());
  EXPECT_EQ(first->ids, other->ids);
}

TEST(ProfilesTest, Columns_AreCentredAndOfLengthOne) {
  const auto profiles = Profiles(std::vector<double>{1.0, 5.0, 2.0, 5.0, 6.0, 5.0}, 2);
  ASSERT_TRUE(profiles.ok());
  double sum = 0.0, squares = 0.0;
  for (const double value : profiles->row(0)) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum, 0.0, 1e-12);
  EXPECT_NEAR(squares, 1.0, 1e-12);
  for (const double value : profiles->row(1)) EXPECT_EQ(value, 0.0);
}

TEST(ClusterHeadsTest, ConstantHead_HasAPlaceWhenShiftedAndIsIsolatedElse) {
  const golden::ClusterCase golden = golden::LoadClusterCases().front();
  const HeadGrid grid{.layers = golden.layers, .heads = golden.heads};
  std::vector<double> features = golden.features;
  for (size_t i = 4; i < features.size(); i += golden.labels.size()) features[i] = 0.3;
  EXPECT_TRUE(ClusterHeads(features, grid, {.clusters = 2}).ok());
  const auto isolated =
      ClusterHeads(features, grid, {.clusters = 2, .affinity = Affinity::kPositive});
  EXPECT_EQ(base::ReasonOf(isolated.status()), "ISOLATED_NODE");
  EXPECT_THAT(isolated.status().message(), HasSubstr("node 4"));
}

TEST(ClusterHeadsTest, EqualHeads_HaveNoClusters) {
  std::vector<double> features;
  for (const double value : Noise(20)) features.insert(features.end(), 6, value);
  const auto clusters = ClusterHeads(features, {.layers = 2, .heads = 3}, {.clusters = 2});
  EXPECT_FALSE(clusters.ok());
}

TEST(ClusterHeadsTest, WrongInput_IsRefusedByName) {
  const HeadGrid grid{.layers = 2, .heads = 3};
  const auto message = [&](std::vector<double> features, size_t clusters) {
    return std::string(ClusterHeads(features, grid, {.clusters = clusters}).status().message());
  };
  EXPECT_THAT(message(Noise(13), 2), HasSubstr("got 13 values, want at least 2 rows of 6"));
  EXPECT_THAT(message(Noise(6), 2), HasSubstr("got 6 values, want at least 2 rows of 6"));
  EXPECT_THAT(message(Noise(60), 1), HasSubstr("clusters: got 1, want at least 2"));
  EXPECT_THAT(message(Noise(60), 6), HasSubstr("clusters: got 6, want at least 2"));
  std::vector<double> features = Noise(60);
  features[13] = std::nan("");
  EXPECT_THAT(message(features, 2), HasSubstr("row 2, column 1: got nan"));
  EXPECT_TRUE(absl::IsInvalidArgument(ParseAffinity("absolute").status()));
}

}  // namespace
}  // namespace hydra::interpret
