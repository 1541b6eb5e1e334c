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

TEST(ResizeTest, SidesOutOfRange_AreRefused) {
  const Raster image{.height = 1, .width = 1, .channels = 1, .pixels = {0}};
  EXPECT_THAT(Resize(image, 0, 1, ResampleFilter::kBilinear).status().message(),
              HasSubstr("got 1 x 1 to 0 x 1"));
  EXPECT_FALSE(Resize(image, 1, 16385, ResampleFilter::kBilinear).ok());
  EXPECT_FALSE(Resize(Raster{}, 1, 1, ResampleFilter::kBilinear).ok());
}

}  // namespace
}  // namespace hydra::preprocess
