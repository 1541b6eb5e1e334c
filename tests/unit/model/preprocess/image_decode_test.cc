#include "model/preprocess/image_decode.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/golden/image_vectors.h"

namespace hydra::preprocess {
namespace {

using ::testing::HasSubstr;

constexpr ImageLimits kLimits{};

int LargestDifference(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  int largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// The message for `encoded`, empty if it is accepted.
std::string ErrorOf(const std::string& encoded, const ImageLimits& limits = kLimits) {
  const absl::Status status = DecodeImage(encoded, 3, limits).status();
  EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

TEST(DecodeImageTest, PillowVectors_AreEqual) {
  const auto cases = golden::LoadDecodeCases();
  ASSERT_GE(cases.size(), 14u);
  for (const golden::DecodeCase& golden : cases) {
    SCOPED_TRACE(golden.name);
    const auto rgb = DecodeImage(golden.file, 3, kLimits);
    const auto grey = DecodeImage(golden.file, 1, kLimits);
    ASSERT_TRUE(rgb.ok() && grey.ok()) << rgb.status();
    EXPECT_EQ(rgb->height, golden.height);
    EXPECT_EQ(rgb->width, golden.width);
    ASSERT_EQ(rgb->pixels.size(), golden.rgb.size());
    ASSERT_EQ(grey->pixels.size(), golden.grey.size());
    EXPECT_EQ(LargestDifference(rgb->pixels, golden.rgb), 0);
    EXPECT_EQ(LargestDifference(grey->pixels, golden.grey), 0);
  }
}

TEST(DecodeImageTest, EveryFormatCutAtAnyByte_IsAnError) {
  for (const golden::DecodeCase& golden : golden::LoadDecodeCases()) {
    for (size_t size = 0; size < golden.file.size(); ++size) {
      ASSERT_NE(ErrorOf(golden.file.substr(0, size)), "") << golden.name << " cut at " << size;
    }
  }
}

TEST(DecodeImageTest, NotAnImage_IsRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("got no bytes"));
  EXPECT_THAT(ErrorOf("hello, world"), HasSubstr("12 bytes that are neither PNG nor JPEG"));
  EXPECT_THAT(ErrorOf("GIF89a..."), HasSubstr("neither PNG nor JPEG"));
}

TEST(DecodeImageTest, HeaderAboveTheLimits_IsRefusedBeforeAnyPixel) {
  for (const char* name : {"png_rgb", "jpeg_420"}) {
    const std::string file = golden::EncodedImage(name);
    EXPECT_THAT(ErrorOf(file, {.max_bytes = 10}), HasSubstr("want at most 10"));
    EXPECT_THAT(ErrorOf(file, {.max_pixels = 19}), HasSubstr("at most 19 pixels"));
    EXPECT_THAT(ErrorOf(file, {.max_side = 4}), HasSubstr("want sides of 1..4"));
  }
  // 2^31 - 1 on a side, in a file of a few bytes.
  std::string bomb = golden::EncodedImage("png_rgb");
  bomb.replace(16, 8, "\x7f\xff\xff\xff\x7f\xff\xff\xff");
  EXPECT_THAT(ErrorOf(bomb), HasSubstr("PNG: got 2147483647 x 2147483647 pixels"));
}

TEST(DecodeImageTest, ZeroSize_IsRefused) {
  std::string file = golden::EncodedImage("png_rgb");
  file.replace(16, 4, std::string(4, '\0'));
  EXPECT_THAT(ErrorOf(file), HasSubstr("PNG: got 4 x 0 pixels"));
}

TEST(DecodeImageTest, AnimatedPng_IsRefused) {
  std::string file = golden::EncodedImage("png_rgb");
  const std::string control("\0\0\0\10acTL\0\0\0\2\0\0\0\0....", 20);
  file.insert(33, control);
  EXPECT_THAT(ErrorOf(file), HasSubstr("animated"));
}

TEST(DecodeImageTest, JpegOfManyScans_IsRefused) {
  const std::string file = golden::EncodedImage("jpeg_progressive");
  const size_t scan = file.rfind("\xff\xda");
  ASSERT_NE(scan, std::string::npos);
  std::string bomb = file.substr(0, file.size() - 2);
  for (int i = 0; i < 64; ++i) bomb += file.substr(scan, file.size() - 2 - scan);
  bomb += file.substr(file.size() - 2);
  EXPECT_THAT(ErrorOf(bomb), HasSubstr("more than 64 scans"));
}

TEST(DecodeImageTest, DamagedPixels_AreRefused) {
  std::string png = golden::EncodedImage("png_rgb");
  png[50] ^= 1;
  EXPECT_THAT(ErrorOf(png), HasSubstr("PNG: "));
  std::string jpeg = golden::EncodedImage("jpeg_420");
  const size_t scan = jpeg.rfind("\xff\xda");
  jpeg.erase(scan + 20, 30);
  EXPECT_THAT(ErrorOf(jpeg), HasSubstr("JPEG: "));
}

}  // namespace
}  // namespace hydra::preprocess
