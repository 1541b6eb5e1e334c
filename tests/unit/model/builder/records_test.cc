// Files that steps exchange.
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/builder/calibrating/split_items.h"
#include "model/builder/evaluation/ledger.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/head_choice.h"
#include "model/builder/recipe/publish.h"
#include "model/builder/recipe/step_cache.h"
#include "model/builder/steps/learning_curve.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/scratch_directory.h"
#include "tests/unit/model/builder/tiny_data.h"

namespace hydra::builder {
namespace {

using fakes::ScratchDirectory;
using testing::HasSubstr;
using testing_data::RecordingConsole;
using testing_data::WriteBytes;

const std::string kDigestA(64, 'a');
const std::string kDigestB(64, 'b');

HeadChoice SomeChoice() {
  return {.scores = {.method = "taylor",
                     .base_digest = kDigestA,
                     .data_digest = kDigestB,
                     .seed = 9,
                     .choices = {{"k", "v"}},
                     .importance = {{{0.5, 0.25}}, {{1.0, -1.0}}}},
          .kept = {{{0}}, {{0, 1}}},
          .overlap = {{1.0, 0.5}, {0.5, 1.0}}};
}

TEST(HeadChoice, EncodedAndParsed_IsTheSame) {
  const auto parsed = ParseHeadChoice(EncodeHeadChoice(SomeChoice()));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->kept, SomeChoice().kept);
  EXPECT_EQ(parsed->scores.importance, SomeChoice().scores.importance);
  EXPECT_EQ(parsed->scores.seed, 9u);
  EXPECT_EQ(parsed->overlap, SomeChoice().overlap);
}

TEST(HeadChoice, AnotherNumberOfMembersInOneTable_IsRefused) {
  HeadChoice choice = SomeChoice();
  choice.kept.pop_back();
  EXPECT_THAT(std::string(ParseHeadChoice(EncodeHeadChoice(choice)).status().message()),
              HasSubstr("different members or layers"));
}

TEST(HeadMapOf, Choice_IsTurnedToLayersFirst) {
  const artifact::HeadMap map = HeadMapOf(SomeChoice());
  ASSERT_EQ(map.kept.size(), 1u);
  EXPECT_EQ(map.kept[0][1], (std::vector<size_t>{0, 1}));
  EXPECT_EQ(map.importance[1].member, 1u);
  EXPECT_EQ(map.provenance.selection, "taylor");
}

TEST(CheckSplits, ItemInTwoSplits_IsRefusedByName) {
  const absl::Status status =
      CheckSplits({{"certify", {kDigestA}}, {"fit", {kDigestA, kDigestB}}}, {});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("is in both certify and fit"));
}

TEST(CheckSplits, ItemTwiceInOneSplit_IsFine) {
  EXPECT_TRUE(CheckSplits({{"certify", {kDigestA, kDigestA}}}, {}).ok());
}

TEST(CheckSplits, OtherItemsThanTheCalibrationSpeaksOf_AreRefused) {
  const absl::Status status =
      CheckSplits({{"fit", {kDigestA}}}, {{"fit", {.n = 1, .digest = kDigestB}}});
  EXPECT_THAT(std::string(status.message()), HasSubstr("calibration.json speaks of 1 rows"));
}

TEST(SplitItems, EncodedAndParsed_IsTheSame) {
  const SplitItems items = {{"fit", {kDigestA}}, {"path", {}}};
  const auto parsed = ParseSplitItems(EncodeSplitItems(items));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, items);
}

TEST(Ledger, TwoEntries_AreReadOldestFirst) {
  const ScratchDirectory scratch;
  const std::string path = scratch.Path("ledger.jsonl");
  for (const size_t n : {7, 8}) {
    ASSERT_TRUE(
        AppendToLedger(path, {.when = absl::FromUnixSeconds(0), .what = "evaluate --final", .n = n})
            .ok());
  }
  const auto entries = ReadLedger(path);
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[1]["n"], 8);
  EXPECT_EQ((*entries)[0]["when"], "1970-01-01T00:00:00Z");
}

TEST(Ledger, DamagedLine_IsNamedByItsNumber) {
  const ScratchDirectory scratch;
  WriteBytes(scratch.Path("l"), "{\"n\": 1}\n{\"n\": \n");
  EXPECT_THAT(std::string(ReadLedger(scratch.Path("l")).status().message()), HasSubstr("l:2"));
}

TEST(StepDirectory, WithoutCommit_LeavesNothingAtThePath) {
  const ScratchDirectory scratch;
  {
    auto directory = StepDirectory::Create(scratch.Path("out"));
    ASSERT_TRUE(directory.ok()) << directory.status();
    ASSERT_TRUE(directory->Write("a", "1").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.Path("out")));
  auto again = StepDirectory::Create(scratch.Path("out"));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_FALSE(std::filesystem::exists(again->temporary() + "/a"));
  ASSERT_TRUE(again->Commit().ok());
  EXPECT_TRUE(std::filesystem::exists(scratch.Path("out")));
}

TEST(StepDirectory, PathThatExists_IsNeverOverwritten) {
  const ScratchDirectory scratch;
  EXPECT_EQ(StepDirectory::Create(scratch.path()).status().code(),
            absl::StatusCode::kAlreadyExists);
}

class StepCacheTest : public testing::Test {
 protected:
  absl::StatusOr<StepOutput> RunOnce(StepCache& cache, int option) {
    return cache.Run("score", {{"option", option}}, [&](const std::string& out) -> absl::Status {
      ++runs_;
      std::filesystem::create_directories(out);
      return absl::OkStatus();
    });
  }

  const ScratchDirectory scratch_;
  const fakes::FakeClock clock_;
  RecordingConsole console_;
  const StepContext context_{clock_, console_};
  int runs_ = 0;
};

TEST_F(StepCacheTest, SameOptionsTwice_RunOnce) {
  const auto cache = StepCache::Open(scratch_.Path("work"), context_);
  ASSERT_TRUE(cache.ok()) << cache.status();
  const auto first = RunOnce(**cache, 1), second = RunOnce(**cache, 1);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(first->path, second->path);
  EXPECT_THAT(console_.text(), HasSubstr("score: already made"));
}

TEST_F(StepCacheTest, OtherOptions_RunAgainElsewhere) {
  const auto cache = StepCache::Open(scratch_.Path("work"), context_);
  ASSERT_TRUE(cache.ok()) << cache.status();
  const auto first = RunOnce(**cache, 1), second = RunOnce(**cache, 2);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(runs_, 2);
  EXPECT_NE(first->path, second->path);
}

TEST_F(StepCacheTest, SecondBuildInTheSameDirectory_IsRefused) {
  const auto first = StepCache::Open(scratch_.Path("work"), context_);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(StepCache::Open(scratch_.Path("work"), context_).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(PublishDirectory, OtherBundleAtThePath_IsReplacedWhole) {
  const ScratchDirectory scratch;
  for (const char* name : {"new", "old"}) {
    std::filesystem::create_directories(scratch.Path(name));
    WriteBytes(absl::StrCat(scratch.path(), "/", name, "/SHA256SUMS"), name);
  }
  WriteBytes(scratch.Path("old/extra"), "x");
  ASSERT_TRUE(PublishDirectory(scratch.Path("new"), scratch.Path("old")).ok());
  EXPECT_FALSE(std::filesystem::exists(scratch.Path("old/extra")));
  EXPECT_TRUE(std::filesystem::exists(scratch.Path("old/SHA256SUMS")));
  EXPECT_FALSE(std::filesystem::exists(scratch.Path("old.old")));
}

TEST(LearningCurve, PointsAfterTheStepOfARestart_AreMeasuredAgain) {
  const ScratchDirectory scratch;
  {
    auto curve = LearningCurve::Open(scratch.Path("c.json"));
    ASSERT_TRUE(curve.ok()) << curve.status();
    ASSERT_TRUE(curve->Add({.step = 10}).ok());
    ASSERT_TRUE(curve->Add({.step = 20}).ok());
  }
  auto curve = LearningCurve::Open(scratch.Path("c.json"));
  ASSERT_TRUE(curve.ok()) << curve.status();
  ASSERT_EQ(curve->points().size(), 2u);
  curve->RewindTo(15);
  ASSERT_EQ(curve->points().size(), 1u);
  EXPECT_EQ(curve->points()[0].step, 10u);
}

TEST(LearningCurve, FileThatIsNotACurve_IsRefused) {
  const ScratchDirectory scratch;
  WriteBytes(scratch.Path("c.json"), "[{\"step\": 1}]");
  EXPECT_EQ(LearningCurve::Open(scratch.Path("c.json")).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace hydra::builder
