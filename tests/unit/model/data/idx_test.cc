#include "model/data/idx.h"

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Header(uint8_t type, const std::vector<uint32_t>& sizes) {
  std::string bytes = {0, 0, static_cast<char>(type), static_cast<char>(sizes.size())};
  for (const uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(size >> shift));
  }
  return bytes;
}

TEST(IdxTest, ParseImages_GoodFile_IsRead) {
  const auto images = ParseIdxImages(Header(8, {2, 1, 3}) + "abcdef", "x.idx");
  ASSERT_TRUE(images.ok()) << images.status();
  EXPECT_EQ(images->count, 2u);
  EXPECT_EQ(images->height, 1u);
  EXPECT_EQ(images->width, 3u);
  EXPECT_THAT(images->pixels, ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
}

TEST(IdxTest, ParseLabels_GoodFile_IsRead) {
  EXPECT_THAT(ParseIdxLabels(Header(8, {3}) + "\1\2\3", "x.idx").value(), ElementsAre(1, 2, 3));
}

TEST(IdxTest, Parse_CutAtAnyByte_IsAnErrorThatNamesTheFile) {
  const std::string images = Header(8, {2, 1, 3}) + "abcdef";
  const std::string labels = Header(8, {3}) + "\1\2\3";
  for (size_t size = 0; size < images.size(); ++size) {
    EXPECT_THAT(ParseIdxImages(images.substr(0, size), "x.idx").status().message(),
                HasSubstr("x.idx"));
  }
  for (size_t size = 0; size < labels.size(); ++size) {
    EXPECT_THAT(ParseIdxLabels(labels.substr(0, size), "x.idx").status().message(),
                HasSubstr("x.idx"));
  }
}

TEST(IdxTest, Parse_OtherTypesAndDimensions_AreRefused) {
  for (const std::string& bytes :
       {Header(9, {1, 1, 1}) + "a", Header(8, {1, 1}) + "a", Header(8, {1, 1, 1, 1}) + "a",
        Header(8, {1, 1, 1}) + "ab", Header(8, {0, 1, 1}), Header(8, {1, 0, 1}),
        "\1" + Header(8, {1, 1, 1}).substr(1) + "a"}) {
    EXPECT_EQ(ParseIdxImages(bytes, "x").status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(IdxTest, Parse_SizesWhoseProductOverflows_AreRefused) {
  for (const auto& sizes : {std::vector<uint32_t>{0xffffffff, 0xffffffff, 0xffffffff},
                            std::vector<uint32_t>{1u << 31, 1u << 31, 4},
                            std::vector<uint32_t>{1u << 30, 1u << 10, 1u << 10}}) {
    EXPECT_FALSE(ParseIdxImages(Header(8, sizes) + "a", "x").ok());
  }
}

TEST(IdxTest, Read_MissingFile_IsNotFound) {
  EXPECT_EQ(ReadIdxImages("/nowhere/x").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadIdxLabels("/nowhere/x").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hydra::data
