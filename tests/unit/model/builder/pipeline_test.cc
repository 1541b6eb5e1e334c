// The whole way from images to a verified bundle, on data that a tiny network learns in seconds.
#include "model/builder/recipe/pipeline.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/artifact/bundle.h"
#include "model/artifact/bundle_writer.h"
#include "model/base/clock.h"
#include "model/base/file.h"
#include "model/builder/packing/inspect_step.h"
#include "model/builder/packing/verify_step.h"
#include "model/builder/recipe/recipe.h"
#include "model/builder/recipe/wrap.h"
#include "model/ensemble/bundle_weights.h"
#include "nlohmann/json.hpp"
#include "tests/fakes/scratch_directory.h"
#include "tests/unit/model/builder/tiny_data.h"

namespace hydra::builder {
namespace {

using fakes::ScratchDirectory;
using testing::HasSubstr;
using testing::Not;
using testing_data::RecordingConsole;
using testing_data::WriteBytes;
using testing_data::WriteTinyIdx;

constexpr char kRecipe[] = R"(
data:
  pool: {kind: idx, images: pool-images, labels: pool-labels}
  test: {kind: idx, images: test-images, labels: test-labels}
  ood:
    noise: {kind: idx, images: ood-images}
    others: {kind: idx, images: near-images, distance: near}
  label_names: [left, right, bottom]
  splits: {select: 60, fit: 60, path: 60, certify: 120, conformal: 60}
train: {patch_size: 4, width: 16, layers: 2, heads: 4, mlp: 32, epochs: 20, batch: 20, lr: 0.005,
        dropout: 0.0}
compare: {random_masks: true, deep_ensemble_seeds: [1]}
score: {members: 3}
select: {keep: 2, overlap_penalty: 1}
finetune: {steps: 8, batch: 20, flip: false}
calibrate: {cuts: 10, alphas: [0.2]}
evaluate: {final: true, resamples: 20, shift_rows: 30, compat: torchmetrics}
interpret: {clusters: 2, images: 40, maps: 2}
pack: {name: tiny, golden_rows: 8, policy_coverage: 0.8}
)";

// One bundle for all tests of this file: building it is what takes time.
class PipelineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new ScratchDirectory;
    WriteTinyIdx(scratch_->Path("pool"), 600, 1);
    WriteTinyIdx(scratch_->Path("test"), 120, 2);
    WriteTinyIdx(scratch_->Path("ood"), 60, 3);
    WriteTinyIdx(scratch_->Path("near"), 50, 4);
    RecordingConsole console;
    first_ = Build(kRecipe, "bundle", console);
    first_log_ = console.text();
  }
  static void TearDownTestSuite() { delete scratch_; }

  static absl::Status Build(const std::string& text, const std::string& out,
                            RecordingConsole& console) {
    const base::RealClock clock;
    const auto recipe = ParseRecipe(text, "recipe.yaml", scratch_->path());
    if (!recipe.ok()) return recipe.status();
    return BuildBundle(*recipe, scratch_->Path("work"), scratch_->Path(out), {clock, console});
  }

  static absl::Status Verify(const std::string& path) {
    const base::RealClock clock;
    RecordingConsole console;
    return VerifyBundle(path, {clock, console});
  }

  static std::string WorkOf(const std::string& step) {
    for (const auto& entry : std::filesystem::directory_iterator(scratch_->Path("work"))) {
      if (entry.path().filename().string().rfind(step + "-", 0) == 0) return entry.path().string();
    }
    return "";
  }

  static ScratchDirectory* scratch_;
  static absl::Status first_;
  static std::string first_log_;
};

ScratchDirectory* PipelineTest::scratch_ = nullptr;
absl::Status PipelineTest::first_;
std::string PipelineTest::first_log_;

TEST_F(PipelineTest, Interpretation_IsInTheHeadMapAndTheReport) {
  ASSERT_TRUE(first_.ok()) << first_;
  const auto bundle = artifact::Bundle::Open(scratch_->Path("bundle"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  ASSERT_TRUE(bundle->head_map().has_value());
  const artifact::HeadMap& map = *bundle->head_map();
  EXPECT_EQ(map.clusters.size(), 2u);
  ASSERT_TRUE(map.clustering.has_value());
  EXPECT_EQ(map.clustering->representatives.size(), 2u);
  EXPECT_EQ(map.clustering->inputs, 40u);
  ASSERT_TRUE(map.effects.has_value());
  EXPECT_EQ(map.effects->nll_change_nats[1].size(), 4u);
  EXPECT_EQ(map.provenance.choices.at("interpret_images"), "40");
  const std::string page =
      base::ReadFile(scratch_->Path("bundle/report/index.html"), size_t{64} << 20).value();
  EXPECT_THAT(page, HasSubstr("Laplace maps"));
  EXPECT_THAT(page, HasSubstr("What the base loses without a head"));
}

TEST_F(PipelineTest, Recipe_MakesABundleThatVerifies) {
  ASSERT_TRUE(first_.ok()) << first_;
  EXPECT_TRUE(Verify(scratch_->Path("bundle")).ok()) << Verify(scratch_->Path("bundle"));
  const auto bundle = artifact::Bundle::Open(scratch_->Path("bundle"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->manifest().members, 3u);
  EXPECT_EQ(bundle->manifest().name, "tiny");
  EXPECT_EQ(bundle->manifest().provenance.recipe, kRecipe);
  EXPECT_EQ(bundle->labels()[2], "bottom");
  EXPECT_EQ(bundle->calibration().splits.at("certify").n, 120u);
  EXPECT_TRUE(bundle->head_map().has_value());
  EXPECT_TRUE(bundle->policy_json().has_value());
  EXPECT_THAT(bundle->report_html().value_or(""), HasSubstr("tiny"));
}

TEST_F(PipelineTest, SecondRun_RunsNoStepAgain) {
  ASSERT_TRUE(first_.ok()) << first_;
  RecordingConsole console;
  ASSERT_TRUE(Build(kRecipe, "bundle", console).ok());
  EXPECT_THAT(console.text(), HasSubstr("train: already made"));
  EXPECT_THAT(console.text(), HasSubstr("pack: already made"));
  EXPECT_THAT(console.text(), Not(HasSubstr("done in")));
}

TEST_F(PipelineTest, OtherOptionOfALateStep_RunsOnlyWhatFollows) {
  ASSERT_TRUE(first_.ok()) << first_;
  std::string text = kRecipe;
  text.replace(text.find("name: tiny"), 10, "name: else");
  RecordingConsole console;
  ASSERT_TRUE(Build(text, "other", console).ok()) << console.text();
  EXPECT_THAT(console.text(), HasSubstr("evaluate: already made"));
  EXPECT_THAT(console.text(), HasSubstr("pack: done in"));
}

TEST_F(PipelineTest, FinalEvaluation_IsInTheLedgerOnce) {
  ASSERT_TRUE(first_.ok()) << first_;
  const auto ledger = base::ReadFile(scratch_->Path("work/ledger.jsonl"), 1 << 20);
  ASSERT_TRUE(ledger.ok()) << ledger.status();
  EXPECT_EQ(std::count(ledger->begin(), ledger->end(), '\n'), 1);
  EXPECT_THAT(*ledger, HasSubstr("evaluate --final"));
}

TEST_F(PipelineTest, Evaluation_ComparesAllSystemsOnTheTestSet) {
  ASSERT_TRUE(first_.ok()) << first_;
  const auto text = base::ReadFile(WorkOf("evaluate") + "/evaluation.json", 1 << 24);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto json = nlohmann::json::parse(*text);
  ASSERT_EQ(json["systems"].size(), 4u);
  EXPECT_EQ(json["systems"][2]["name"], "deep_ensemble");
  EXPECT_EQ(json["systems"][2]["members"], 2);
  EXPECT_EQ(json["systems"][3]["name"], "random_masks");
  EXPECT_EQ(json["data"]["n"], 120);
  // Three bright quarters are easy: far from chance, and never below it by accident of labels.
  EXPECT_GT(json["systems"][1]["scaled"]["accuracy"].get<double>(), 0.8) << first_log_;
  EXPECT_TRUE(json["systems"][1]["scaled"]["members"].is_null());
  EXPECT_TRUE(json["systems"][0]["ood"]["noise"]["by_score"].contains("mutual_information"));
}

TEST_F(PipelineTest, Evaluation_AnswersEveryQuestionApart) {
  ASSERT_TRUE(first_.ok()) << first_;
  const auto text = base::ReadFile(WorkOf("evaluate") + "/evaluation.json", 1 << 24);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto json = nlohmann::json::parse(*text);
  EXPECT_EQ(json["ood"]["others"]["distance"], "near");
  EXPECT_EQ(json["ood"]["noise"]["distance"], "far");
  const auto& hydra = json["systems"][0];
  EXPECT_EQ(hydra["mixed_stream"]["parts"], 3);
  EXPECT_EQ(hydra["mixed_stream"]["rows_of_each_part"], 50);
  EXPECT_TRUE(hydra["mixed_stream"]["aurc"].contains("combined"));
  EXPECT_TRUE(hydra["mixed_stream"]["combiner"]["scores"].contains("mutual_information"));
  EXPECT_TRUE(hydra["default_scores"]["errors"]["aurc"].contains("total_entropy"));
  EXPECT_TRUE(hydra["default_scores"]["ood"]["auroc"].contains("total_entropy"));
  EXPECT_EQ(hydra["shift"].size(), 4u);
  EXPECT_EQ(hydra["shift"]["blur"].size(), 5u);
  EXPECT_FALSE(hydra["ood"].contains("blur"));
  EXPECT_TRUE(hydra["scaled"].contains("smooth_ece") && hydra["scaled"].contains("aece15"));
  EXPECT_TRUE(hydra["scaled"]["torchmetrics"].contains("ece15_l1"));
  EXPECT_TRUE(hydra["differences"].contains("mixed_aurc"));
  EXPECT_FALSE(json["systems"][1].contains("differences"));  // the reference itself
}

TEST_F(PipelineTest, BundleWithOneHeadZeroed_FailsVerificationWithNumbers) {
  ASSERT_TRUE(first_.ok()) << first_;
  const auto bundle = artifact::Bundle::Open(scratch_->Path("bundle"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  auto network = ensemble::DecodeWeights(bundle->manifest(), bundle->weights());
  ASSERT_TRUE(network.ok()) << network.status();
  const auto width = static_cast<int64_t>(network->geometry.head_width);
  network->weights.layers[1].out_weight[0].narrow(1, 0, width).zero_();
  const auto weights = ensemble::EncodeWeights(*network);
  ASSERT_TRUE(weights.ok()) << weights.status();
  const artifact::BundleContents damaged{.documents = {.manifest = bundle->manifest(),
                                                       .calibration = bundle->calibration(),
                                                       .labels = bundle->labels(),
                                                       .image_settings = bundle->image_settings(),
                                                       .head_map = bundle->head_map(),
                                                       .golden = bundle->golden()},
                                         .weights = *weights};
  ASSERT_TRUE(artifact::WriteBundle(damaged, scratch_->Path("damaged")).ok());
  const absl::Status status = Verify(scratch_->Path("damaged"));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("tolerance"));
}

TEST_F(PipelineTest, OverlappingSplits_AreRefusedByPack) {
  ASSERT_TRUE(first_.ok()) << first_;
  const std::string copy = scratch_->Path("overlap");
  std::filesystem::copy(WorkOf("calibrate"), copy);
  const auto text = base::ReadFile(copy + "/splits.json", 1 << 24);
  ASSERT_TRUE(text.ok()) << text.status();
  auto json = nlohmann::json::parse(*text);
  json["fit"].push_back(json["certify"][0]);
  WriteBytes(copy + "/splits.json", json.dump());
  const auto recipe = ParseRecipe(kRecipe, "recipe.yaml", scratch_->path());
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  const base::RealClock clock;
  RecordingConsole console;
  const absl::Status status =
      RunPack(recipe->data, recipe->pack, {.network = WorkOf("merge"), .calibration = copy},
              scratch_->Path("never"), {clock, console});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("is in both"));
  EXPECT_FALSE(std::filesystem::exists(scratch_->Path("never")));
}

TEST_F(PipelineTest, PolicyTargetThatNoCutReaches_IsRefusedByPackWithNumbers) {
  ASSERT_TRUE(first_.ok()) << first_;
  RecordingConsole console;
  std::string text = kRecipe;
  text.replace(text.find("policy_coverage: 0.8"), 20, "policy_risk: 0.0001");
  const absl::Status status = Build(text, "infeasible", console);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("policy_risk: got 0.0001 on "));
  EXPECT_THAT(std::string(status.message()), HasSubstr("rows"));
}

TEST_F(PipelineTest, JointTuning_MakesABundleToo) {
  ASSERT_TRUE(first_.ok()) << first_;
  std::string text = kRecipe;
  text.replace(text.find("finetune: {"), 11, "finetune: {mode: joint, ");
  RecordingConsole console;
  const absl::Status status = Build(text, "joint", console);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(console.text(), HasSubstr("tuned jointly"));
}

// kRecipe with `from` replaced.
std::string Changed(const std::string& from, const std::string& to) {
  std::string text = kRecipe;
  return text.replace(text.find(from), from.size(), to);
}

TEST_F(PipelineTest, Readers_MakeABundleWithOneTrunk) {
  ASSERT_TRUE(first_.ok()) << first_;
  RecordingConsole console;
  const absl::Status status =
      Build(Changed("finetune: {",
                    "finetune: {mode: reader, layers: 2, mlp: low_rank, mlp_rank: 4, "
                    "own_keys_values: false, member_heads: all, diversity: 0.5, "),
            "readers", console);
  ASSERT_TRUE(status.ok()) << status;
  const auto bundle = artifact::Bundle::Open(scratch_->Path("readers"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->manifest().member_mode, artifact::MemberMode::kReader);
  EXPECT_EQ(bundle->manifest().reader->first_layer, 0u);
  EXPECT_EQ(bundle->head_map()->kept[1][2], (std::vector<size_t>{0, 1, 2, 3}));
  const auto file =
      artifact::TensorFile::Open(scratch_->Path("readers/weights.safetensors"), 1 << 20);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->Find("readers.1.member.2.fc1.down").ok());
}

TEST_F(PipelineTest, LateBranch_LearnsFromTheDeepEnsembleMemberByMember) {
  ASSERT_TRUE(first_.ok()) << first_;
  std::string text =
      Changed("finetune: {", "finetune: {mode: branch, layers: 1, ensemble_distillation: 1, ");
  text.replace(text.find("deep_ensemble_seeds: [1]"), 24, "deep_ensemble_seeds: [1, 2]");
  RecordingConsole console;
  const absl::Status status = Build(text, "branch", console);
  ASSERT_TRUE(status.ok()) << status;
  const auto bundle = artifact::Bundle::Open(scratch_->Path("branch"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->manifest().branch_layer, 1u);
  EXPECT_TRUE(bundle->manifest().layers[1].shared_qkv);
  EXPECT_EQ(bundle->head_map()->kept[0][1], (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(bundle->head_map()->kept[1][1].size(), 2u);
}

TEST_F(PipelineTest, ModeThatIsNone_IsRefusedByName) {
  ASSERT_TRUE(first_.ok()) << first_;
  RecordingConsole console;
  EXPECT_THAT(
      std::string(
          Build(Changed("finetune: {", "finetune: {mode: late, "), "late", console).message()),
      HasSubstr("mode: got \"late\", want separate, joint, branch or reader"));
}

TEST_F(PipelineTest, Wrap_MakesAOneMemberBundleOfACheckpoint) {
  ASSERT_TRUE(first_.ok()) << first_;
  const auto recipe = WrapRecipe({.checkpoint = WorkOf("train"),
                                  .held_out = absl::StrCat("idx:", scratch_->Path("pool-images"),
                                                           ",", scratch_->Path("pool-labels")),
                                  .name = "wrapped"});
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  const base::RealClock clock;
  RecordingConsole console;
  const absl::Status status = BuildBundle(*recipe, scratch_->Path("wrap-work"),
                                          scratch_->Path("wrapped"), {clock, console});
  ASSERT_TRUE(status.ok()) << status;
  const auto bundle = artifact::Bundle::Open(scratch_->Path("wrapped"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->manifest().members, 1u);
  EXPECT_EQ(bundle->head_map()->provenance.selection, "all");
  EXPECT_EQ(bundle->calibration().reference_histograms.count("disagreement"), 0u);
}

TEST_F(PipelineTest, Inspect_SaysMembersHeadsAndDigest) {
  ASSERT_TRUE(first_.ok()) << first_;
  const auto bundle = artifact::Bundle::Open(scratch_->Path("bundle"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  const std::string text = DescribeBundle(*bundle);
  EXPECT_THAT(text, HasSubstr("3 members"));
  EXPECT_THAT(text, HasSubstr(bundle->digest()));
  const auto json = DescribeBundleJson(*bundle);
  ASSERT_TRUE(json.ok()) << json.status();
  const auto parsed = nlohmann::json::parse(*json);
  EXPECT_EQ(parsed["members"], 3);
  EXPECT_EQ(parsed["splits"]["certify"]["n"], 120);
}

}  // namespace
}  // namespace hydra::builder
