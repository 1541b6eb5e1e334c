#include "model/interpret/png_encode.h"

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/preprocess/image_decode.h"

namespace hydra::interpret {
namespace {

PngImage Noise(size_t height, size_t width) {
  base::Rng rng(4);
  PngImage image{.height = height, .width = width};
  for (size_t i = 0; i < height * width * 3; ++i) {
    image.rgb.push_back(static_cast<uint8_t>(rng.UniformBelow(256)));
  }
  return image;
}

TEST(EncodePngTest, Noise_DecodesToTheSamePixels) {
  const PngImage image = Noise(7, 13);
  const auto png = EncodePng(image);
  ASSERT_TRUE(png.ok()) << png.status();
  const auto decoded = preprocess::DecodeImage(*png, 3, {});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->height, 7u);
  EXPECT_EQ(decoded->width, 13u);
  EXPECT_EQ(decoded->pixels, image.rgb);
}

TEST(EncodePngTest, EqualImages_GiveEqualBytes) {
  EXPECT_EQ(EncodePng(Noise(5, 5)).value(), EncodePng(Noise(5, 5)).value());
}

TEST(EncodePngTest, WrongSize_IsRefused) {
  PngImage image = Noise(4, 4);
  image.rgb.pop_back();
  EXPECT_TRUE(absl::IsInvalidArgument(EncodePng(image).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(EncodePng({}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      EncodePng({.height = 1, .width = 16385, .rgb = std::vector<uint8_t>(16385 * 3)}).status()));
}

}  // namespace
}  // namespace hydra::interpret
