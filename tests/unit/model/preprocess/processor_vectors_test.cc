// Equality with the reference's load_image and PIL image processors, from a file to the network's
// input (tests/golden/make_processor_vectors.py).
#include "tests/golden/processor_vectors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "model/base/sha256.h"
#include "model/preprocess/image.h"
#include "model/preprocess/processor_config.h"

namespace hydra::preprocess {
namespace {

using artifact::ImageSettings;

const artifact::Geometry kGeometry{.image_height = 24, .image_width = 24, .channels = 3};

// The pixels that were normalised, [C, H, W].
std::vector<uint8_t> PixelsOf(const std::vector<float>& values, const ImageSettings& settings) {
  const size_t plane = settings.height * settings.width;
  std::vector<uint8_t> pixels;
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t c = i / plane;
    const double x = values[i] * settings.stddev[c] + settings.mean[c];
    pixels.push_back(static_cast<uint8_t>(std::lround(x / settings.rescale_factor)));
  }
  return pixels;
}

int LargestDifference(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  int largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

void ExpectAnswer(const std::string& file, const golden::ProcessorAnswer& want) {
  const auto settings = ParseProcessorConfig(want.config_json, "", kGeometry);
  ASSERT_TRUE(settings.ok()) << settings.status();
  const auto values = PreprocessImage(file, *settings, {});
  ASSERT_TRUE(values.ok()) << values.status();
  const std::vector<uint8_t> pixels = PixelsOf(*values, *settings);
  if (want.sha256.empty()) {
    ASSERT_EQ(pixels.size(), want.pixels.size());
    EXPECT_EQ(LargestDifference(pixels, want.pixels), 0) << "of 255";
    return;
  }
  const absl::string_view bytes(reinterpret_cast<const char*>(pixels.data()), pixels.size());
  EXPECT_EQ(base::Sha256Hex(std::string(bytes)), want.sha256);
  for (const auto& [index, value] : want.samples) {
    ASSERT_LT(index, values->size());
    EXPECT_NEAR((*values)[index], value, 1e-6) << index;
  }
}

TEST(ProcessorVectorsTest, EveryImageAndProcessor_GivesTheReferencesPixels) {
  const auto cases = golden::LoadProcessorCases();
  ASSERT_GE(cases.size(), 70u);
  for (const golden::ProcessorCase& one : cases) {
    ASSERT_EQ(one.answers.size(), 5u);
    for (const auto& [setting, answer] : one.answers) {
      SCOPED_TRACE(one.name + " " + setting);
      ExpectAnswer(one.file, answer);
    }
  }
}

}  // namespace
}  // namespace hydra::preprocess
