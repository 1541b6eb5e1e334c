#include "model/text/utf8.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::text {
namespace {

struct Case {
  std::string text;
  std::optional<size_t> offset;
};

TEST(FirstInvalidUtf8ByteTest, ValidText_IsUnset) {
  // The first and last character of each length, and those around the surrogates.
  for (const std::string text : {"", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
                                 "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80",
                                 "\xF4\x8F\xBF\xBF", "a\xC3\xA9\xE8\xAA\x9E\xF0\x9F\x98\x80z"}) {
    EXPECT_EQ(FirstInvalidUtf8Byte(text), std::nullopt) << text;
  }
  EXPECT_EQ(FirstInvalidUtf8Byte(absl::string_view("\0", 1)), std::nullopt);
}

TEST(FirstInvalidUtf8ByteTest, InvalidText_IsOffsetOfFirstBadByte) {
  const std::vector<Case> cases = {
      {"\x80", 0},                  // a continuation byte alone
      {"ab\xC3", 2},                // cut after the lead byte
      {"ab\xC3(", 2},               // no continuation byte
      {"\xC0\xAF", 0},              // overlong '/'
      {"\xC1\xBF", 0},              // overlong
      {"\xE0\x9F\xBF", 0},          // overlong
      {"\xF0\x8F\xBF\xBF", 0},      // overlong
      {"x\xED\xA0\x80", 1},         // the first surrogate
      {"x\xED\xBF\xBF", 1},         // the last
      {"\xF4\x90\x80\x80", 0},      // U+110000
      {"\xF5\x80\x80\x80", 0},      // no such lead byte
      {"\xE8\xAA\x9E\xE8\xAA", 3},  // cut in the second character
      {"\xF0\x9F\x98", 0},
      {"\xFF", 0},
  };
  for (const Case& bad : cases) {
    EXPECT_EQ(FirstInvalidUtf8Byte(bad.text), bad.offset) << testing::PrintToString(bad.text);
  }
}

}  // namespace
}  // namespace hydra::text
