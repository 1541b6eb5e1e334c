#include "model/preprocess/metadata/exif.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace hydra::preprocess::metadata {
namespace {

// `count` bytes of `value` in TIFF's little-endian order.
std::string Little(uint64_t value, size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

std::string Entry(uint64_t tag, uint64_t type, uint64_t count, uint64_t value) {
  return absl::StrCat(Little(tag, 2), Little(type, 2), Little(count, 4), Little(value, 4));
}

std::string Tiff(std::initializer_list<std::string> entries) {
  std::string bytes = absl::StrCat("II", Little(42, 2), Little(8, 4), Little(entries.size(), 2));
  for (const std::string& entry : entries) absl::StrAppend(&bytes, entry);
  return absl::StrCat(bytes, Little(0, 4));
}

TEST(ExifOrientationTest, BothByteOrdersAndPrefixes_AreRead) {
  const std::string little = Tiff({Entry(274, 3, 1, 6)});
  const std::string prefix("Exif\0\0", 6);
  EXPECT_EQ(ExifOrientation(little), Orientation::kRotated90Right);
  EXPECT_EQ(ExifOrientation(prefix + little), Orientation::kRotated90Right);
  EXPECT_EQ(ExifOrientation(prefix + prefix + little), Orientation::kRotated90Right);
  EXPECT_EQ(ExifOrientation(prefix + prefix + prefix + little), std::nullopt);
  const std::string big("MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0\10\0\0", 22);
  EXPECT_EQ(ExifOrientation(big), Orientation::kRotated90Left);
}

TEST(ExifOrientationTest, ValuesOutside1To8_AreUpright) {
  EXPECT_EQ(ExifOrientation(Tiff({Entry(274, 3, 1, 0)})), Orientation::kUpright);
  EXPECT_EQ(ExifOrientation(Tiff({Entry(274, 3, 1, 9)})), Orientation::kUpright);
  EXPECT_EQ(ExifOrientation(Tiff({Entry(274, 9, 1, 0xffffffff)})), Orientation::kUpright);
}

TEST(ExifOrientationTest, FirstValueOfAnIntegerType_Counts) {
  EXPECT_EQ(ExifOrientation(Tiff({Entry(274, 4, 1, 5), Entry(274, 3, 1, 6)})),
            Orientation::kTransposed);
  EXPECT_EQ(ExifOrientation(Tiff({Entry(274, 3, 2, 0x00070002)})), Orientation::kMirrored);
  EXPECT_EQ(ExifOrientation(Tiff({Entry(274, 1, 1, 6)})), Orientation::kUpright);  // bytes
  EXPECT_EQ(ExifOrientation(Tiff({Entry(274, 99, 1, 6), Entry(274, 3, 1, 3)})),    // no such type
            Orientation::kRotated180);
  EXPECT_EQ(ExifOrientation(Tiff({Entry(274, 3, 0, 6), Entry(274, 3, 1, 4)})),
            Orientation::kFlipped);
}

TEST(ExifOrientationTest, LongValue_IsReadWhereItLies) {
  std::string tiff = Tiff({Entry(274, 3, 3, 26)}) + Little(7, 2) + Little(0, 4);
  EXPECT_EQ(ExifOrientation(tiff), Orientation::kTransverse);
  tiff.pop_back();
  EXPECT_EQ(ExifOrientation(tiff), std::nullopt);
}

TEST(ExifOrientationTest, ValueOutsideTheFile_StopsTheDirectory) {
  EXPECT_EQ(ExifOrientation(Tiff({Entry(271, 2, 20, 0xfffffff0), Entry(274, 3, 1, 6)})),
            std::nullopt);
  // More than the whole file holds: that entry alone is left out.
  EXPECT_EQ(ExifOrientation(Tiff({Entry(271, 12, 0xffffffff, 0), Entry(274, 3, 1, 6)})),
            Orientation::kRotated90Right);
}

TEST(ExifOrientationTest, CutAnywhere_IsAbsent) {
  const std::string tiff = Tiff({Entry(274, 3, 1, 6)});
  for (size_t size = 0; size < 22; ++size) {
    EXPECT_EQ(ExifOrientation(tiff.substr(0, size)), std::nullopt) << size;
  }
  std::string far = tiff;
  far.replace(4, 4, Little(0xffffffff, 4));
  EXPECT_EQ(ExifOrientation(far), std::nullopt);
  EXPECT_EQ(ExifOrientation("not a TIFF file at all"), std::nullopt);
}

TEST(XmpOrientationTest, AttributeAndElement_AreRead) {
  EXPECT_EQ(XmpOrientation("<a tiff:Orientation=\"6\"/>"), Orientation::kRotated90Right);
  EXPECT_EQ(XmpOrientation("<tiff:Orientation>3</tiff:Orientation>"), Orientation::kRotated180);
  EXPECT_EQ(XmpOrientation("tiff:Orientation= tiff:Orientation=\"8\""),
            Orientation::kRotated90Left);
  EXPECT_EQ(XmpOrientation("tiff:Orientation=\"9\""), Orientation::kUpright);
  EXPECT_EQ(XmpOrientation("tiff:Orientation=\""), std::nullopt);
  EXPECT_EQ(XmpOrientation(""), std::nullopt);
}

}  // namespace
}  // namespace hydra::preprocess::metadata
