#include "client/input/idx.h"

#include <zlib.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"

namespace hydra::input {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TwoByThree() { return std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12) + "abcdef"; }

TEST(ParseIdxTest, WellFormed_GivesSizesAndOffset) {
  const auto header = ParseIdx(TwoByThree(), "f");
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_THAT(header->sizes, ElementsAre(2u, 3u));
  EXPECT_EQ(header->header_bytes, 12u);
}

TEST(ParseIdxTest, CutAtAnyByte_IsRefusedWithThePath) {
  const std::string whole = TwoByThree();
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto header = ParseIdx(whole.substr(0, length), "t10k");
    EXPECT_EQ(header.status().code(), absl::StatusCode::kInvalidArgument) << length;
    EXPECT_THAT(header.status().message(), HasSubstr("t10k")) << length;
  }
  EXPECT_FALSE(ParseIdx(whole + "g", "t10k").ok());
}

TEST(ParseIdxTest, SizesThatOverflow_AreRefused) {
  const std::string huge("\0\0\x08\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0x",
                         21);
  EXPECT_THAT(ParseIdx(huge, "f").status().message(), HasSubstr("sizes do not fit"));
}

TEST(ParseIdxTest, AnotherElementType_IsRefused) {
  std::string floats = TwoByThree();
  floats[2] = 0x0D;
  EXPECT_THAT(ParseIdx(floats, "f").status().message(), HasSubstr("another element type"));
}

class ReadMaybeGzipTest : public ::testing::Test {
 protected:
  const std::string path_ = ::testing::TempDir() + "/idx_test_file";
};

TEST_F(ReadMaybeGzipTest, PlainAndCompressed_GiveTheSameBytes) {
  ASSERT_TRUE(base::WriteFileAtomically(path_, "plain text").ok());
  EXPECT_EQ(*ReadMaybeGzip(path_, 100), "plain text");
  gzFile file = gzopen(path_.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, "plain text", 10), 10);
  ASSERT_EQ(gzclose(file), Z_OK);
  EXPECT_EQ(*ReadMaybeGzip(path_, 100), "plain text");
  EXPECT_EQ(ReadMaybeGzip(path_, 9).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(ReadMaybeGzipTest, DamagedCompression_IsRefused) {
  gzFile file = gzopen(path_.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, "plain text", 10), 10);
  ASSERT_EQ(gzclose(file), Z_OK);
  std::string bytes = *base::ReadFile(path_, 1000);
  bytes[bytes.size() - 6] ^= 1;  // the checksum
  ASSERT_TRUE(base::WriteFileAtomically(path_, bytes).ok());
  EXPECT_EQ(ReadMaybeGzip(path_, 100).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ReadMaybeGzipTest, NoFile_IsNotFound) {
  EXPECT_EQ(ReadMaybeGzip(path_ + ".none", 100).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hydra::input
