#include "server/lifecycle/state_directory.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fakes/scratch_directory.h"

namespace hydra::lifecycle {
namespace {

using ::testing::HasSubstr;

class StateDirectoryTest : public ::testing::Test {
 protected:
  const fakes::ScratchDirectory scratch_;
};

TEST_F(StateDirectoryTest, MissingDirectory_IsMade) {
  const std::string path = scratch_.Path("made/below");
  const auto directory = StateDirectory::Open(path);
  ASSERT_TRUE(directory.ok()) << directory.status();
  EXPECT_TRUE(std::filesystem::is_directory(path));
  EXPECT_EQ((*directory)->PolicyFile(), path + "/policy.json");
}

TEST_F(StateDirectoryTest, SecondHolder_IsRefusedUntilTheFirstIsGone) {
  const std::string path = scratch_.Path("locked");
  {
    const auto first = StateDirectory::Open(path);
    ASSERT_TRUE(first.ok()) << first.status();
    const absl::Status second = StateDirectory::Open(path).status();
    EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(second.message()), HasSubstr(path + " is in use"));
  }
  EXPECT_TRUE(StateDirectory::Open(path).ok());
}

TEST_F(StateDirectoryTest, PathOfAFile_IsRefused) {
  const std::string path = scratch_.Path("file");
  std::ofstream(path) << "x";
  EXPECT_THAT(std::string(StateDirectory::Open(path).status().message()), HasSubstr(path));
}

}  // namespace
}  // namespace hydra::lifecycle
