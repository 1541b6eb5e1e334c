// One step in one, two and three processes gives the same bytes.
#include "model/builder/sharding/merge_shards.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "model/builder/calibrating/calibrate_step.h"
#include "model/builder/evaluation/evaluate_step.h"
#include "model/builder/steps/score_step.h"
#include "model/builder/steps/train_step.h"
#include "nlohmann/json.hpp"
#include "tests/fakes/scratch_directory.h"
#include "tests/unit/model/builder/tiny_data.h"

namespace hydra::builder {
namespace {

using testing::HasSubstr;
using testing_data::RecordingConsole;

constexpr size_t kMaxBytes = size_t{1} << 26;

// One base and one calibration for all tests of this file.
class MergeShardsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new fakes::ScratchDirectory;
    data_ = new DataOptions;
    data_->data = testing_data::WriteTinyIdx(scratch_->Path("pool"), 1100, 1);
    data_->test = testing_data::WriteTinyIdx(scratch_->Path("test"), 700, 2);
    const std::string ood = testing_data::WriteTinyIdx(scratch_->Path("ood"), 300, 3);
    data_->ood = {"a=" + ood, "b=" + ood + ";limit=20"};
    data_->near_ood = {"a"};
    data_->splits = {.select = 60, .fit = 300, .path = 300, .certify = 120, .conformal = 60};
    TrainStepOptions train;
    train.patch_size = 4;
    train.width = 16;
    train.layers = 2;
    train.heads = 4;
    train.mlp = 32;
    train.epochs = 4;
    train.batch = 20;
    train.lr = 0.005;
    CalibrateStepOptions calibrate;
    calibrate.alphas = {0.2};
    made_ = RunTrain(*data_, train, scratch_->Path("base"), scratch_->Path("state"), Context());
    if (made_.ok()) {
      made_ = RunCalibrate(*data_, calibrate, scratch_->Path("base"), scratch_->Path("calibration"),
                           Context());
    }
  }
  static void TearDownTestSuite() {
    delete data_;
    delete scratch_;
  }

  static StepContext Context() { return {clock_, console_}; }

  static absl::Status Evaluate(Shard shard, const std::string& out, bool final = false) {
    EvaluateStepOptions options;
    options.final = final;
    options.resamples = 10;
    options.shift_rows = 40;
    options.shard = shard;
    const EvaluateInputs inputs{.network = scratch_->Path("base"),
                                .calibration = scratch_->Path("calibration"),
                                .base = scratch_->Path("base"),
                                .deep_ensemble = {scratch_->Path("base"), scratch_->Path("base")},
                                .ledger = scratch_->Path("ledger.jsonl")};
    return RunEvaluate(*data_, options, inputs, scratch_->Path(out), Context());
  }

  static std::string Read(const std::string& file) {
    return base::ReadFile(scratch_->Path(file), kMaxBytes).value_or("");
  }

  static nlohmann::json EvaluationOf(const std::string& out) {
    return nlohmann::json::parse(Read(out + "/evaluation.json"));
  }

  static std::vector<std::string> Paths(const std::vector<std::string>& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(scratch_->Path(name));
    return paths;
  }

  static fakes::ScratchDirectory* scratch_;
  static DataOptions* data_;
  static absl::Status made_;
  static const base::RealClock clock_;
  static RecordingConsole console_;
};

fakes::ScratchDirectory* MergeShardsTest::scratch_ = nullptr;
DataOptions* MergeShardsTest::data_ = nullptr;
absl::Status MergeShardsTest::made_;
const base::RealClock MergeShardsTest::clock_;
RecordingConsole MergeShardsTest::console_;

TEST_F(MergeShardsTest, EvaluateInOneTwoOrThree_HasTheSameDigest) {
  ASSERT_TRUE(made_.ok()) << made_;
  ASSERT_TRUE(Evaluate({}, "whole", true).ok());
  const auto whole = EvaluationOf("whole");
  for (const size_t of : {2u, 3u}) {
    std::vector<std::string> names;
    for (size_t i = of; i >= 1; --i) {  // made and merged backwards
      names.push_back(absl::StrCat("part-", i, "-of-", of));
      const absl::Status status = Evaluate({i, of}, names.back(), true);
      ASSERT_TRUE(status.ok()) << status;
    }
    const std::string out = absl::StrCat("merged-", of);
    const absl::Status merged = MergeShards(Paths(names), scratch_->Path(out), Context());
    ASSERT_TRUE(merged.ok()) << merged;
    const auto evaluation = EvaluationOf(out);
    EXPECT_EQ(evaluation["digest"], whole["digest"]);
    EXPECT_EQ(evaluation["systems"], whole["systems"]);
    for (const char* system : {"hydra", "single", "deep_ensemble"}) {
      const std::string file = absl::StrCat("/predictions-", system, ".safetensors");
      EXPECT_EQ(Read(out + file), Read("whole" + file)) << system;
      EXPECT_FALSE(Read(out + file).empty());
    }
    std::reverse(names.begin(), names.end());
    ASSERT_TRUE(MergeShards(Paths(names), scratch_->Path(out + "-again"), Context()).ok());
    EXPECT_EQ(Read(out + "-again/evaluation.json"), Read(out + "/evaluation.json"));
  }
  EXPECT_EQ(EvaluationOf("merged-3")["ledger"].size(), 6u);  // every look is known
}

TEST_F(MergeShardsTest, ShardOfEvaluate_IsNotRepeatedAndNeedsTheOthers) {
  ASSERT_TRUE(made_.ok()) << made_;
  ASSERT_TRUE(Evaluate({1, 2}, "first").ok());
  const std::string before = Read("first/shard.json");
  console_.Clear();
  ASSERT_TRUE(Evaluate({1, 2}, "first").ok());
  EXPECT_THAT(console_.text(), HasSubstr("done already"));
  EXPECT_EQ(Read("first/shard.json"), before);
  EXPECT_EQ(Evaluate({2, 2}, "first").code(), absl::StatusCode::kAlreadyExists);
  const absl::Status alone = MergeShards(Paths({"first"}), scratch_->Path("alone"), Context());
  EXPECT_THAT(std::string(alone.message()), HasSubstr("shard 2 of 2: missing"));
  const absl::Status twice =
      MergeShards(Paths({"first", "first"}), scratch_->Path("alone"), Context());
  EXPECT_THAT(std::string(twice.message()), HasSubstr("shard 1 of 2: given twice"));
  EXPECT_FALSE(std::filesystem::exists(scratch_->Path("alone")));
}

TEST_F(MergeShardsTest, DamagedPredictions_AreRefusedByName) {
  ASSERT_TRUE(made_.ok()) << made_;
  ASSERT_TRUE(Evaluate({1, 2}, "left").ok());
  ASSERT_TRUE(Evaluate({2, 2}, "right").ok());
  // The second shard's file in the place of the first's: its blocks are there twice.
  std::filesystem::copy_file(scratch_->Path("right/predictions-single.safetensors"),
                             scratch_->Path("left/predictions-single.safetensors"),
                             std::filesystem::copy_options::overwrite_existing);
  const absl::Status status =
      MergeShards(Paths({"left", "right"}), scratch_->Path("damaged"), Context());
  EXPECT_THAT(std::string(status.message()), HasSubstr("right/predictions-single"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("twice"));
}

TEST_F(MergeShardsTest, ScoreInOneTwoOrFour_GivesTheSameBytes) {
  ASSERT_TRUE(made_.ok()) << made_;
  for (const char* method : {"taylor", "random"}) {
    ScoreStepOptions options;
    options.method = method;
    const auto score = [&](Shard shard, const std::string& out) {
      options.shard = shard;
      return RunScore(*data_, options, scratch_->Path("base"), scratch_->Path(method + out),
                      Context());
    };
    ASSERT_TRUE(score({}, "-whole").ok());
    for (const size_t of : {2u, 4u}) {  // four: one has no member
      std::vector<std::string> names;
      for (size_t i = 1; i <= of; ++i) {
        names.push_back(absl::StrCat(method, "-", i, "-of-", of));
        ASSERT_TRUE(score({i, of}, absl::StrCat("-", i, "-of-", of)).ok());
      }
      std::reverse(names.begin(), names.end());
      const std::string out = absl::StrCat(method, "-merged-", of);
      const absl::Status merged = MergeShards(Paths(names), scratch_->Path(out), Context());
      ASSERT_TRUE(merged.ok()) << merged;
      EXPECT_EQ(Read(out + "/scores.json"), Read(std::string(method) + "-whole/scores.json"));
    }
  }
}

}  // namespace
}  // namespace hydra::builder
