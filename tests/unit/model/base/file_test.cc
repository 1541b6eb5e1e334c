#include "model/base/file.h"

#include <filesystem>
#include <string>

#include "gtest/gtest.h"

namespace hydra::base {
namespace {

std::string TemporaryPath(const std::string& name) {
  return ::testing::TempDir() + "/file_test_" + name;
}

TEST(FileTest, WriteThenRead_GivesSameBytes) {
  const std::string path = TemporaryPath("round_trip");
  const std::string contents("a\0b\n", 4);
  ASSERT_TRUE(WriteFileAtomically(path, contents).ok());
  ASSERT_TRUE(WriteFileAtomically(path, contents).ok());
  const auto read = ReadFile(path, 4);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, contents);
}

TEST(FileTest, LargerThanLimit_IsRefused) {
  const std::string path = TemporaryPath("large");
  ASSERT_TRUE(WriteFileAtomically(path, "12345").ok());
  EXPECT_EQ(ReadFile(path, 4).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(FileTest, MissingOrDirectory_IsNamedInTheError) {
  EXPECT_EQ(ReadFile(TemporaryPath("absent"), 1).status().code(), absl::StatusCode::kNotFound);
  const auto directory = ReadFile(::testing::TempDir(), 1 << 20);
  EXPECT_EQ(directory.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(FileTest, UnwritableDirectory_LeavesNoFileBehind) {
  const auto status = WriteFileAtomically("/proc/hydra/none", "x");
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("/proc/hydra/none"), std::string::npos);
}

}  // namespace
}  // namespace hydra::base
