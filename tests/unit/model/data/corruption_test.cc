#include "model/data/corruption.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace hydra::data {
namespace {

using Image = std::vector<uint8_t>;

Image Corrupted(Image image, RasterShape shape, Corruption corruption, size_t severity,
                uint64_t seed) {
  base::Rng rng(seed);
  Corrupt(absl::MakeSpan(image), shape, corruption, severity, rng);
  return image;
}

int LargestDifference(const Image& a, const Image& b) {
  int largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(CorruptTest, GoldenImages_EqualScipy) {
  std::ifstream file(std::string(HYDRA_SOURCE_DIR) + "/tests/golden/statistics/corruptions.json");
  const nlohmann::json document = nlohmann::json::parse(file, nullptr, false);
  ASSERT_TRUE(document.is_object());
  for (const auto& golden : document["cases"]) {
    const Image image = golden["image"];
    const RasterShape shape{golden["shape"][0], golden["shape"][1], golden["shape"][2]};
    for (size_t severity = 1; severity <= kSeverities; ++severity) {
      SCOPED_TRACE(severity);
      const Image blurred = golden["blur"][severity - 1];
      EXPECT_LE(LargestDifference(Corrupted(image, shape, Corruption::kBlur, severity, 1), blurred),
                1);
      const Image flat = golden["contrast"][severity - 1];
      EXPECT_LE(
          LargestDifference(Corrupted(image, shape, Corruption::kContrast, severity, 1), flat), 1);
      const Image left = golden["rotation"][severity - 1][0];
      const Image right = golden["rotation"][severity - 1][1];
      bool seen_left = false, seen_right = false;
      for (uint64_t seed = 0; seed < 20; ++seed) {
        const Image turned = Corrupted(image, shape, Corruption::kRotation, severity, seed);
        const bool is_left = LargestDifference(turned, left) <= 1;
        const bool is_right = LargestDifference(turned, right) <= 1;
        EXPECT_TRUE(is_left || is_right);
        seen_left = seen_left || is_left;
        seen_right = seen_right || is_right;
      }
      EXPECT_TRUE(seen_left && seen_right);
    }
  }
}

TEST(CorruptTest, Noise_HasItsDeviationAndFollowsTheSeed) {
  const RasterShape shape{1, 100, 100};
  const Image grey(100 * 100, 128);
  const double expected[] = {0.05, 0.1, 0.15};  // more is clamped at the ends of the scale
  for (size_t severity = 1; severity <= 3; ++severity) {
    const Image noisy = Corrupted(grey, shape, Corruption::kGaussianNoise, severity, 3);
    double squares = 0.0;
    for (const uint8_t value : noisy) squares += std::pow((value - 128.0) / 255.0, 2.0);
    EXPECT_NEAR(std::sqrt(squares / 1e4), expected[severity - 1], 0.02 * expected[severity - 1]);
    EXPECT_EQ(noisy, Corrupted(grey, shape, Corruption::kGaussianNoise, severity, 3));
    EXPECT_NE(noisy, Corrupted(grey, shape, Corruption::kGaussianNoise, severity, 4));
  }
}

TEST(CorruptTest, EverySeverity_IsFurtherFromTheImage) {
  const RasterShape shape{1, 28, 28};
  Image image(28 * 28);
  for (size_t i = 0; i < image.size(); ++i)
    image[i] = (i / 28 + i % 28) % 20 < 10 && i % 28 < 14 ? 220 : 30;
  for (const Corruption corruption : kAllCorruptions) {
    SCOPED_TRACE(std::string(CorruptionName(corruption)));
    double before = 0.0;
    for (size_t severity = 1; severity <= kSeverities; ++severity) {
      const Image changed = Corrupted(image, shape, corruption, severity, 5);
      double squares = 0.0;
      for (size_t i = 0; i < image.size(); ++i) squares += std::pow(changed[i] - image[i], 2.0);
      if (corruption != Corruption::kRotation) {
        EXPECT_GT(squares, before);
      }
      EXPECT_GT(squares, 0.0);
      before = squares;
    }
  }
}

}  // namespace
}  // namespace hydra::data
