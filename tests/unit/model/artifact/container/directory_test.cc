#include "model/artifact/container/directory.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_directory.h"

namespace hydra::artifact::container {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DirectoryTest : public ::testing::Test {
 protected:
  absl::Status Read() const { return ReadDirectory(folder_.string(), ReadLimits{}).status(); }

  const fakes::ScratchDirectory scratch_;
  const fs::path folder_ = scratch_.path();
};

TEST_F(DirectoryTest, Read_WhatWriteWrote_IsEqual) {
  const FileMap files = {{"a", "1"}, {"b/c", ""}, {"b/d", "22"}};
  const std::string path = (folder_ / "bundle").string();
  ASSERT_TRUE(WriteDirectory(files, path).ok());
  EXPECT_EQ(ReadDirectory(path, ReadLimits{}).value(), files);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(DirectoryTest, Read_LinkToAFolder_IsRefused) {
  fs::create_directory_symlink("/etc", folder_ / "report");
  EXPECT_THAT(Read().message(), HasSubstr("report: got a symbolic link"));
}

TEST_F(DirectoryTest, Read_Pipe_IsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo((folder_ / "policy.json").c_str(), 0600), 0);
  EXPECT_THAT(Read().message(), HasSubstr("policy.json: not a regular file"));
}

TEST_F(DirectoryTest, Read_NamesOutsideTheRules_AreRefused) {
  std::ofstream(folder_ / "a b") << "x";
  EXPECT_THAT(Read().message(), HasSubstr("path \"a b\""));
}

TEST_F(DirectoryTest, Read_DeepFolders_AreRefused) {
  fs::create_directories(folder_ / "a/b/c/d/e");
  EXPECT_THAT(Read().message(), HasSubstr("a/b/c/d/e"));
}

TEST_F(DirectoryTest, Read_MoreFilesThanTheLimit_IsResourceExhausted) {
  std::ofstream(folder_ / "a") << "x";
  std::ofstream(folder_ / "b") << "x";
  EXPECT_EQ(ReadDirectory(folder_.string(), {.max_files = 1}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(DirectoryTest, Write_PathThatLeavesTheBundle_WritesNothing) {
  EXPECT_FALSE(WriteDirectory({{"../x", ""}}, (folder_ / "bundle").string()).ok());
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace hydra::artifact::container
