#include "model/preprocess/image.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/golden/image_vectors.h"

namespace hydra::preprocess {
namespace {

using artifact::ImageSettings;
using artifact::ResizeMode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ImageSettings Settings(size_t height, size_t width, size_t channels) {
  return {.height = height,
          .width = width,
          .channels = channels,
          .resize_mode = ResizeMode::kNone,
          .mean = std::vector<double>(channels, 0.5),
          .stddev = std::vector<double>(channels, 0.25)};
}

TEST(NormalizeTest, Bytes_AreRescaledThenNormalised) {
  const auto values = NormalizePixels(std::vector<uint8_t>{0, 255, 51}, Settings(1, 3, 1));
  ASSERT_TRUE(values.ok());
  EXPECT_THAT(*values, ElementsAre(-2.0f, 2.0f, (0.2f - 0.5f) / 0.25f));
}

TEST(NormalizeTest, Channels_HaveTheirOwnMeanAndBecomePlanes) {
  ImageSettings settings = Settings(1, 2, 3);
  settings.rescale_factor = 1.0;
  settings.mean = {0.0, 10.0, 20.0};
  settings.stddev = {1.0, 2.0, 4.0};
  const Raster image{.height = 1, .width = 2, .channels = 3, .pixels = {1, 12, 24, 2, 14, 28}};
  EXPECT_THAT(NormalizeRaster(image, settings).value(), ElementsAre(1, 2, 1, 2, 1, 2));
  EXPECT_THAT(NormalizePixels(std::vector<uint8_t>{1, 2, 12, 14, 24, 28}, settings).value(),
              ElementsAre(1, 2, 1, 2, 1, 2));
}

TEST(NormalizeTest, WrongNumberOfValues_IsRefused) {
  EXPECT_THAT(NormalizePixels({}, Settings(1, 3, 1)).status().message(),
              HasSubstr("got 0 values, want 3"));
  EXPECT_THAT(
      NormalizeRaster({.height = 1, .width = 3, .channels = 3, .pixels = {}}, Settings(1, 3, 1))
          .status()
          .message(),
      HasSubstr("got 1 x 3 x 3, want 1 x 3 x 1"));
}

TEST(FitRasterTest, ShortestEdge_KeepsTheAspectRatioAndCropsTheCentre) {
  ImageSettings settings = Settings(2, 2, 1);
  settings.resize_mode = ResizeMode::kShortestEdge;
  settings.shortest_edge = 2;
  const Raster wide{
      .height = 2, .width = 5, .channels = 1, .pixels = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  EXPECT_THAT(FitRaster(wide, settings)->pixels, ElementsAre(1, 2, 6, 7));
  const Raster tall{
      .height = 5, .width = 2, .channels = 1, .pixels = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
  EXPECT_THAT(FitRaster(tall, settings)->pixels, ElementsAre(2, 3, 4, 5));
}

TEST(FitRasterTest, ExactThenCrop_TakesTheMiddle) {
  ImageSettings settings = Settings(1, 1, 3);
  settings.resize_mode = ResizeMode::kExact;
  settings.resize_height = 3;
  settings.resize_width = 3;
  std::vector<uint8_t> pixels(27);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i);
  const Raster image{.height = 3, .width = 3, .channels = 3, .pixels = pixels};
  EXPECT_THAT(FitRaster(image, settings)->pixels, ElementsAre(12, 13, 14));
}

TEST(FitRasterTest, WrongSizeWithoutResize_IsRefused) {
  const Raster image{.height = 1, .width = 2, .channels = 1, .pixels = {0, 1}};
  EXPECT_THAT(FitRaster(image, Settings(2, 2, 1)).status().message(),
              HasSubstr("image: got 1 x 2 x 1, want 2 x 2 x 1"));
}

TEST(FitRasterTest, ExtremeAspectRatio_CostsTheCropAlone) {
  ImageSettings settings = Settings(224, 224, 1);
  settings.resize_mode = ResizeMode::kShortestEdge;
  settings.shortest_edge = 224;
  std::vector<uint8_t> pixels(16384, 10);
  pixels[8191] = pixels[8192] = 200;
  const auto fitted =
      FitRaster({.height = 1, .width = 16384, .channels = 1, .pixels = pixels}, settings);
  ASSERT_TRUE(fitted.ok()) << fitted.status();
  EXPECT_THAT(fitted->pixels, ::testing::Each(::testing::Ge(100)));
}

TEST(FitRasterTest, SmallerThanTheCrop_IsPaddedWithZerosMoreInFront) {
  ImageSettings settings = Settings(4, 1, 1);
  const Raster image{.height = 1, .width = 3, .channels = 1, .pixels = {7, 8, 9}};
  settings.crop = artifact::CropMode::kZeroPadded;
  EXPECT_THAT(FitRaster(image, settings)->pixels, ElementsAre(0, 0, 8, 0));
  settings.resize_mode = ResizeMode::kShortestEdge;
  settings.shortest_edge = 2;
  settings.crop = artifact::CropMode::kInside;
  EXPECT_THAT(FitRaster(image, settings).status().message(),
              HasSubstr("got 2 x 6 pixels, want at least 4 x 1"));
}

TEST(FitRasterTest, TransparentColour_BecomesWhiteOnlyIfAsked) {
  ImageSettings settings = Settings(1, 2, 3);
  const Raster image{.height = 1,
                     .width = 2,
                     .channels = 3,
                     .pixels = {1, 2, 3, 1, 2, 4},
                     .transparent = {{1, 2, 3}}};
  EXPECT_EQ(FitRaster(image, settings)->pixels, image.pixels);
  settings.transparent = artifact::TransparentPixels::kWhite;
  EXPECT_THAT(FitRaster(image, settings)->pixels, ElementsAre(255, 255, 255, 1, 2, 4));
}

TEST(PreprocessImageTest, EncodedGreyImage_EqualsItsPixels) {
  for (const golden::DecodeCase& golden : golden::LoadDecodeCases()) {
    const ImageSettings settings = Settings(golden.height, golden.width, 1);
    EXPECT_EQ(PreprocessImage(golden.file, settings, {}).value(),
              NormalizePixels(golden.grey, settings).value())
        << golden.name;
  }
}

}  // namespace
}  // namespace hydra::preprocess
