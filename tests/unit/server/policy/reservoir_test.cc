#include "server/policy/reservoir.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace hydra::policy {
namespace {

std::vector<LiveSample> Numbered(size_t first, size_t count) {
  std::vector<LiveSample> samples(count);
  for (size_t i = 0; i < count; ++i) samples[i].answer.energy = static_cast<double>(first + i);
  return samples;
}

TEST(ReservoirTest, BelowCapacity_KeepsEverything) {
  Reservoir reservoir(10, 1);
  reservoir.Add(Numbered(0, 7));
  EXPECT_EQ(reservoir.Samples().size(), 7u);
}

TEST(ReservoirTest, AboveCapacity_StaysBoundedAndPrefersTheNew) {
  constexpr size_t kCapacity = 100;
  Reservoir reservoir(kCapacity, 1);
  for (size_t first = 0; first < 100 * kCapacity; first += 10) reservoir.Add(Numbered(first, 10));
  const std::vector<LiveSample> samples = reservoir.Samples();
  ASSERT_EQ(samples.size(), kCapacity);
  double mean_age = 0.0;
  for (const LiveSample& sample : samples) {
    mean_age += (100.0 * kCapacity - sample.answer.energy) / kCapacity;
  }
  // Ages are geometric with mean 100; the mean of 100 of them has standard deviation 10.
  EXPECT_NEAR(mean_age, 100.0, 40.0);
}

}  // namespace
}  // namespace hydra::policy
