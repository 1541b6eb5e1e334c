#include "model/interpret/token_colours.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "model/preprocess/image_decode.h"

namespace hydra::interpret {
namespace {

using ::testing::ElementsAre;

artifact::Manifest Images(size_t height, size_t width, size_t patch) {
  artifact::Manifest manifest{.family = "vit"};
  manifest.geometry.image_height = height;
  manifest.geometry.image_width = width;
  manifest.geometry.patch_size = patch;
  return manifest;
}

// One special token and two patches.
LaplaceMap SmallMap() {
  return {.tokens = 3, .coordinates = {9.0, -9.0, 5.0, 1.0, 2.0, 5.0, 3.0, -2.0, 5.0}};
}

TEST(ShownTokensTest, Image_LeavesWhatStandsBeforeThePatches) {
  EXPECT_EQ(ShownTokens(Images(28, 14, 7), 9).value(),
            (TokenGrid{.first = 1, .rows = 4, .columns = 2}));
  EXPECT_EQ(ShownTokens(Images(28, 14, 7), 13).value(),
            (TokenGrid{.first = 5, .rows = 4, .columns = 2}));
  EXPECT_EQ(base::ReasonOf(ShownTokens(Images(28, 14, 7), 7).status()), "TOO_FEW_TOKENS");
}

TEST(ShownTokensTest, Text_LeavesFirstAndLast) {
  const artifact::Manifest manifest{.family = "bert"};
  EXPECT_EQ(ShownTokens(manifest, 7).value(), (TokenGrid{.first = 1, .rows = 1, .columns = 5}));
  EXPECT_EQ(base::ReasonOf(ShownTokens(manifest, 2).status()), "TOO_FEW_TOKENS");
}

TEST(TokenColoursTest, ShownTokens_SpanEachChannelAndSpecialOnesDoNotCount) {
  const auto colours = TokenColours(SmallMap(), {.first = 1, .rows = 1, .columns = 2});
  ASSERT_TRUE(colours.ok()) << colours.status();
  EXPECT_THAT(*colours, ElementsAre(0.0, 1.0, 0.0, 1.0, 0.0, 0.0));
}

TEST(TokenColoursTest, GridBeyondTheMap_IsRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(
      TokenColours(SmallMap(), {.first = 1, .rows = 1, .columns = 3}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      TokenColours(SmallMap(), {.first = 1, .rows = 0, .columns = 3}).status()));
}

TEST(CellSizeOfTest, GridsOfImagesAndTexts_HaveTheStatedSize) {
  EXPECT_EQ(CellSizeOf({.first = 1, .rows = 16, .columns = 14}).height, 14u);
  EXPECT_EQ(CellSizeOf({.first = 1, .rows = 300, .columns = 300}).width, 1u);
  EXPECT_EQ(CellSizeOf({.first = 1, .rows = 1, .columns = 10}).width, 24u);
  EXPECT_EQ(CellSizeOf({.first = 1, .rows = 1, .columns = 510}).width, 2u);
  EXPECT_EQ(CellSizeOf({.first = 1, .rows = 1, .columns = 510}).height, 24u);
}

TEST(RenderCellsTest, Png_DecodesToTheCells) {
  const TokenGrid grid{.first = 1, .rows = 1, .columns = 2};
  const auto png = RenderCells({0.0, 1.0, 0.5, 1.0, 0.0, 0.0}, grid);
  ASSERT_TRUE(png.ok()) << png.status();
  const auto image = preprocess::DecodeImage(*png, 3, {});
  ASSERT_TRUE(image.ok()) << image.status();
  ASSERT_EQ(image->height, 24u);
  ASSERT_EQ(image->width, 48u);
  for (size_t x = 0; x < image->width; ++x) {
    const size_t pixel = (5 * image->width + x) * 3;
    EXPECT_EQ(image->pixels[pixel], x < 24 ? 0 : 255);
    EXPECT_EQ(image->pixels[pixel + 1], x < 24 ? 255 : 0);
    EXPECT_EQ(image->pixels[pixel + 2], x < 24 ? 128 : 0);
  }
}

TEST(RenderCellsTest, ColoursOfAnotherGrid_AreRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(
      RenderCells({0.0, 1.0, 0.5}, {.first = 1, .rows = 1, .columns = 2}).status()));
}

}  // namespace
}  // namespace hydra::interpret
