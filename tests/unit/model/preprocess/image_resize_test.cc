#include "model/preprocess/image_resize.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/golden/image_vectors.h"

namespace hydra::preprocess {
namespace {

using artifact::ResampleFilter;
using ::testing::Each;
using ::testing::HasSubstr;

TEST(ResizeTest, PillowVectors_AreEqualBitByBit) {
  const auto cases = golden::LoadResizeCases();
  ASSERT_GE(cases.size(), 30u);
  for (const golden::ResizeCase& golden : cases) {
    SCOPED_TRACE(golden.name);
    const auto resized = Resize(golden.source, golden.height, golden.width, golden.filter);
    ASSERT_TRUE(resized.ok()) << resized.status();
    EXPECT_EQ(resized->pixels, golden.pixels);
    EXPECT_EQ(resized->height, golden.height);
    EXPECT_EQ(resized->width, golden.width);
  }
}

TEST(ResizeTest, ConstantImage_StaysConstant) {
  for (const ResampleFilter filter : {ResampleFilter::kBilinear, ResampleFilter::kBicubic}) {
    const Raster image{
        .height = 9, .width = 31, .channels = 1, .pixels = std::vector<uint8_t>(279, 201)};
    const auto resized = Resize(image, 20, 7, filter);
    ASSERT_TRUE(resized.ok());
    EXPECT_THAT(resized->pixels, Each(201));
  }
}

TEST(ResizeTest, SameSize_IsUnchanged) {
  const Raster image{.height = 1, .width = 3, .channels = 1, .pixels = {1, 2, 3}};
  EXPECT_EQ(Resize(image, 1, 3, ResampleFilter::kBicubic)->pixels, image.pixels);
}

TEST(ResizePartTest, AnyFilter_EqualsTheSamePartOfTheWhole) {
  std::vector<uint8_t> pixels(37 * 23);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * i % 251);
  const Raster image{.height = 37, .width = 23, .channels = 1, .pixels = pixels};
  for (const auto filter :
       {ResampleFilter::kBilinear, ResampleFilter::kBicubic, ResampleFilter::kNearest,
        ResampleFilter::kLanczos, ResampleFilter::kBox, ResampleFilter::kHamming}) {
    for (const size_t side : {size_t{9}, size_t{23}, size_t{60}}) {
      const auto whole = Resize(image, side, side, filter);
      const auto part = ResizePart(
          image,
          {.height = side, .width = side, .rows = {2, 5}, .columns = {4, 3}, .filter = filter});
      ASSERT_TRUE(whole.ok() && part.ok()) << part.status();
      for (size_t i = 0; i < 15; ++i) {
        EXPECT_EQ(part->pixels[i], whole->pixels[(2 + i / 3) * side + 4 + i % 3]) << side;
      }
    }
  }
}

TEST(ResizePartTest, RectangleOutside_IsRefused) {
  const Raster image{.height = 1, .width = 1, .channels = 1, .pixels = {0}};
  const auto columns = [&](PixelRange range) {
    return ResizePart(image, {.height = 1, .width = 9, .rows = {0, 1}, .columns = range}).status();
  };
  EXPECT_TRUE(columns({8, 1}).ok());
  EXPECT_EQ(columns({8, 2}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(columns({3, 0}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(columns({~size_t{0}, 2}).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ResizeTest, SidesOutOfRange_AreRefused) {
  const Raster image{.height = 1, .width = 1, .channels = 1, .pixels = {0}};
  EXPECT_THAT(Resize(image, 0, 1, ResampleFilter::kBilinear).status().message(),
              HasSubstr("got 1 x 1 to 0 x 1 of 0 x 1"));
  EXPECT_FALSE(Resize(image, 1, 16385, ResampleFilter::kBilinear).ok());
  EXPECT_FALSE(Resize(Raster{}, 1, 1, ResampleFilter::kBilinear).ok());
}

}  // namespace
}  // namespace hydra::preprocess
