#include "model/base/rng.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace hydra::base {
namespace {

TEST(RngTest, SameSeed_GivesSameSequence) {
  Rng a(7), b(7), c(8);
  EXPECT_EQ(a.NextBits(), b.NextBits());
  EXPECT_NE(a.NextBits(), c.NextBits());
  EXPECT_NE(Rng::ForPurpose(7, "init").NextBits(), Rng::ForPurpose(7, "shuffle").NextBits());
}

TEST(RngTest, Moments_MatchTheirDistributions) {
  Rng rng(1);
  double uniform = 0, normal = 0, square = 0, poisson = 0;
  const int n = 200000;
  for (int i = 0; i < n; ++i) {
    uniform += rng.Uniform();
    const double z = rng.Normal();
    normal += z;
    square += z * z;
    poisson += rng.Poisson(1.0);
  }
  EXPECT_NEAR(uniform / n, 0.5, 5.0 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(normal / n, 0.0, 5.0 / std::sqrt(n));
  EXPECT_NEAR(square / n, 1.0, 5.0 * std::sqrt(2.0 / n));
  EXPECT_NEAR(poisson / n, 1.0, 5.0 / std::sqrt(n));
}

TEST(RngTest, Permutation_HoldsEveryIndexOnce) {
  Rng rng(3);
  std::vector<size_t> order = rng.Permutation(100);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace hydra::base
