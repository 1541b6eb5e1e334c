#include "server/policy/store.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "model/base/rng.h"

namespace hydra::policy {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FileStoreTest : public ::testing::Test {
 protected:
  FileStoreTest() : directory_(std::filesystem::path(testing::TempDir()) / UniqueName()) {
    std::filesystem::create_directories(directory_);
  }
  ~FileStoreTest() override { std::filesystem::remove_all(directory_); }

  static std::string UniqueName() {
    return std::string("policy_store_") +
           testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
           std::to_string(::getpid());
  }

  std::string path() const { return (directory_ / "policy.json").string(); }

  const std::filesystem::path directory_;
};

Policy PolicyOfRevision(uint64_t revision) {
  return {.rules = {.scores = {{uncertainty::Score::kEnergy, static_cast<double>(revision)}}},
          .revision = revision,
          .bundle_digest = std::string(64, 'd'),
          .updated = absl::FromUnixSeconds(static_cast<int64_t>(revision)),
          .updated_by = "test"};
}

TEST_F(FileStoreTest, Load_WithoutFile_IsEmpty) {
  const auto history = FileStore(path()).Load();
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_THAT(*history, IsEmpty());
}

TEST_F(FileStoreTest, Load_GivesWhatWasSaved) {
  FileStore store(path());
  ASSERT_TRUE(store.Save({PolicyOfRevision(3), PolicyOfRevision(4)}).ok());
  const auto history = FileStore(path()).Load();
  ASSERT_TRUE(history.ok()) << history.status();
  EXPECT_EQ(history->back().rules, PolicyOfRevision(4).rules);
}

TEST_F(FileStoreTest, Load_CorruptFile_IsAnErrorAndNotReplaced) {
  ASSERT_TRUE(base::WriteFileAtomically(path(), "{\"format_version\": 1").ok());
  const auto history = FileStore(path()).Load();
  EXPECT_EQ(history.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(history.status().message(), HasSubstr(path()));
  EXPECT_EQ(base::ReadFile(path(), 100).value(), "{\"format_version\": 1");
}

TEST_F(FileStoreTest, Load_Directory_IsAnError) {
  EXPECT_EQ(FileStore(directory_.string()).Load().status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(FileStoreTest, Save_IntoMissingDirectory_IsAnError) {
  FileStore store((directory_ / "missing" / "policy.json").string());
  EXPECT_FALSE(store.Save({PolicyOfRevision(1)}).ok());
}

// Never returns: saves revision after revision until it is killed, and reports each one that Save
// acknowledged.
[[noreturn]] void SaveForEver(const std::string& path, uint64_t first, int report) {
  FileStore store(path);
  History history;
  for (uint64_t revision = first;; ++revision) {
    history.push_back(PolicyOfRevision(revision));
    if (history.size() > 20) history.erase(history.begin());
    if (!store.Save(history).ok()) ::_exit(1);
    if (::write(report, &revision, sizeof(revision)) != sizeof(revision)) ::_exit(2);
  }
}

TEST_F(FileStoreTest, KillAtRandomMoments_LeavesACompleteRevisionNotOlderThanAcknowledged) {
  base::Rng rng(42);
  uint64_t acknowledged = 0;
  for (int round = 0; round < 60; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) SaveForEver(path(), acknowledged + 2, pipe_ends[1]);
    ::close(pipe_ends[1]);
    // The moment of the kill: after a random number of acknowledged saves, plus a random while.
    for (uint64_t wanted = rng.UniformBelow(4); wanted > 0; --wanted) {
      ASSERT_EQ(::read(pipe_ends[0], &acknowledged, sizeof(acknowledged)),
                static_cast<ssize_t>(sizeof(acknowledged)));
    }
    const timespec while_saving{.tv_nsec = static_cast<long>(rng.UniformBelow(3'000'000))};
    pollfd never{.fd = -1};
    ::ppoll(&never, 1, &while_saving, nullptr);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    while (::read(pipe_ends[0], &acknowledged, sizeof(acknowledged)) == sizeof(acknowledged)) {
    }
    ::close(pipe_ends[0]);
    const auto history = FileStore(path()).Load();
    ASSERT_TRUE(history.ok()) << history.status();
    if (acknowledged == 0) continue;
    ASSERT_FALSE(history->empty());
    const uint64_t stored = history->back().revision;
    EXPECT_GE(stored, acknowledged);
    EXPECT_LE(stored, acknowledged + 2);
    EXPECT_EQ(history->back().rules, PolicyOfRevision(stored).rules);
    acknowledged = stored;
  }
  // What killed writers left behind is cleared by the next one.
  ASSERT_TRUE(FileStore(path()).Save({PolicyOfRevision(acknowledged)}).ok());
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_))
    ++files;
  EXPECT_EQ(files, 1u);
  EXPECT_GT(acknowledged, 60u);
}

}  // namespace
}  // namespace hydra::policy
