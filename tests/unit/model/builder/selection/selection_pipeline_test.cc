// Every method of scoring heads through the builder's steps, on data that a tiny network learns in
// seconds.
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/artifact/bundle.h"
#include "model/base/clock.h"
#include "model/base/file.h"
#include "model/builder/networks/head_choice.h"
#include "model/builder/packing/verify_step.h"
#include "model/builder/recipe/pipeline.h"
#include "model/builder/recipe/recipe.h"
#include "model/ensemble/bundle_weights.h"
#include "model/ensemble/tie_blocks.h"
#include "nlohmann/json.hpp"
#include "tests/fakes/scratch_directory.h"
#include "tests/unit/model/builder/tiny_data.h"

namespace hydra::builder {
namespace {

using fakes::ScratchDirectory;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_data::RecordingConsole;
using testing_data::WriteBytes;
using testing_data::WriteTinyIdx;

constexpr char kRecipe[] = R"(
data:
  pool: {kind: idx, images: pool-images, labels: pool-labels}
  splits: {select: 60, fit: 60, path: 60, certify: 120, conformal: 60}
train: {patch_size: 4, width: 16, layers: 2, heads: 4, mlp: 32, epochs: 10, batch: 20, lr: 0.005,
        dropout: 0.0}
calibrate: {cuts: 10, alphas: [0.2]}
evaluate: {resamples: 10}
pack: {name: tiny, golden_rows: 6}
)";

class SelectionPipelineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new ScratchDirectory;
    WriteTinyIdx(scratch_->Path("pool"), 500, 1);
    WriteBytes(scratch_->Path("clusters.json"), "[[0, 0, 1, 1], [0, 1, 0, 1]]");
    WriteBytes(scratch_->Path("short.json"), "[[0, 0, 1, 1]]");
  }
  static void TearDownTestSuite() { delete scratch_; }

  // Builds the recipe with these sections in a work folder that all tests share.
  absl::Status Build(const std::string& sections, const std::string& out) {
    const char* tuning = sections.find("finetune:") == std::string::npos
                             ? "finetune: {steps: 4, batch: 20, flip: false}\n"
                             : "";
    const auto recipe = ParseRecipe(kRecipe + sections + tuning, "recipe.yaml", scratch_->path());
    if (!recipe.ok()) return recipe.status();
    return BuildBundle(*recipe, scratch_->Path("work"), scratch_->Path(out), {clock_, console_});
  }

  artifact::HeadMap HeadMapOfBundle(const std::string& out) {
    const auto bundle = artifact::Bundle::Open(scratch_->Path(out));
    EXPECT_TRUE(bundle.ok()) << bundle.status();
    EXPECT_TRUE(VerifyBundle(scratch_->Path(out), {clock_, console_}).ok()) << console_.text();
    return bundle->head_map().value();
  }

  static ScratchDirectory* scratch_;
  const base::RealClock clock_;
  RecordingConsole console_;
};

ScratchDirectory* SelectionPipelineTest::scratch_ = nullptr;

TEST_F(SelectionPipelineTest, Circuit_TakesKeepAndPenaltyOfSelect) {
  const absl::Status status = Build(
      "score: {method: circuit, members: 2, circuit_objectives: [brier, ood_auroc], "
      "circuit_images: 20}\n"
      "select: {keep_per_layer: [1, 3], overlap_penalty: 4}\n",
      "circuit");
  ASSERT_TRUE(status.ok()) << status;
  const artifact::HeadMap map = HeadMapOfBundle("circuit");
  EXPECT_EQ(map.provenance.selection, "circuit");
  EXPECT_EQ(map.provenance.choices.at("circuit_heads_per_layer"), "1 3");
  EXPECT_EQ(map.provenance.choices.at("circuit_overlap_penalty_ranks"), "4");
  EXPECT_EQ(map.provenance.choices.at("circuit_objectives"), "brier ood_auroc");
  EXPECT_EQ(map.provenance.choices.at("heads_kept_per_layer"), "1 3");
  EXPECT_EQ(map.provenance.data_digest.size(), 64u);
  ASSERT_EQ(map.importance.size(), 2u);
  EXPECT_EQ(map.kept[0][0].size(), 1u);
  EXPECT_EQ(map.kept[1][1].size(), 3u);
  EXPECT_NE(map.kept[0][0], map.kept[0][1]);  // four lost ranks of four
  EXPECT_THAT(console_.text(), HasSubstr("circuit of member 2 of 2 by ood_auroc"));
}

TEST_F(SelectionPipelineTest, Saper_TunesFromItsSoftNetworkWithinTheBudget) {
  const absl::Status status = Build(
      "score: {method: saper, members: 2, saper_steps: 20, saper_batch: 20, saper_flip: false, "
      "saper_clusters: clusters.json, saper_selector_lr: 0.1}\n"
      "select: {budget: 3}\n",
      "saper");
  ASSERT_TRUE(status.ok()) << status;
  const artifact::HeadMap map = HeadMapOfBundle("saper");
  for (size_t m = 0; m < 2; ++m) EXPECT_EQ(map.kept[0][m].size() + map.kept[1][m].size(), 3u);
  EXPECT_EQ(map.provenance.selection, "saper");
  EXPECT_EQ(map.provenance.choices.at("head_budget"), "3");
  EXPECT_EQ(map.provenance.choices.at("layer_scale"), "none");
  EXPECT_THAT(map.provenance.choices.at("saper_options"), HasSubstr("\"saper_budget\":3"));
  size_t soft = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_->Path("work"))) {
    soft += std::filesystem::exists(entry.path() / "soft" / "weights.safetensors");
    EXPECT_NE(entry.path().extension(), ".state");
  }
  EXPECT_EQ(soft, 1u);
}

TEST_F(SelectionPipelineTest, TaylorBudget_IsNormalisedByLayer) {
  const absl::Status status =
      Build("score: {method: taylor, members: 1}\nselect: {budget: 4, at_least_per_layer: 1}\n",
            "taylor");
  ASSERT_TRUE(status.ok()) << status;
  const artifact::HeadMap map = HeadMapOfBundle("taylor");
  EXPECT_EQ(map.provenance.choices.at("layer_scale"), "unit_norm");
  EXPECT_GE(map.kept[0][0].size(), 1u);
  EXPECT_EQ(map.kept[0][0].size() + map.kept[1][0].size(), 4u);
}

TEST_F(SelectionPipelineTest, SaperDistillation_GoesThroughBothPhases) {
  const absl::Status status = Build(
      "score: {method: saper, members: 1, saper_steps: 10, saper_batch: 20, saper_distil: true, "
      "saper_distil_layers: [1, 2], saper_distil_target: cls_mean}\n"
      "select: {budget: 4}\n"
      "finetune: {steps: 4, batch: 20, flip: false, distil: true, freeze_qkv: true, "
      "classifier_steps: 3}\n",
      "distilled");
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(HeadMapOfBundle("distilled").members, 1u);
  EXPECT_THAT(console_.text(), HasSubstr("step 7/7"));
}

TEST_F(SelectionPipelineTest, Blocks_ShareTheParametersOfTheirLayers) {
  const absl::Status status = Build(
      "score: {method: random, members: 1}\nselect: {keep: 4}\n"
      "finetune: {steps: 4, batch: 20, flip: false, blocks: 1, block_start: first}\n",
      "blocks");
  ASSERT_TRUE(status.ok()) << status;
  const auto bundle = artifact::Bundle::Open(scratch_->Path("blocks"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  const auto network = ensemble::DecodeWeights(bundle->manifest(), bundle->weights());
  ASSERT_TRUE(network.ok()) << network.status();
  const auto& layers = network->weights.layers;
  EXPECT_TRUE(layers[0].fc1_weight.equal(layers[1].fc1_weight));
  EXPECT_TRUE(layers[0].qkv_weight.equal(layers[1].qkv_weight));
  size_t tied = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_->Path("work"))) {
    const auto text = base::ReadFile((entry.path() / "finetune.json").string(), 1 << 24);
    if (!text.ok()) continue;
    const auto json = nlohmann::json::parse(*text);
    if (json["options"]["blocks"] != 1) continue;
    ++tied;
    EXPECT_LT(json["distinct_parameters"]["member-0"].get<uint64_t>(),
              ensemble::DistinctParameters(*network));
  }
  EXPECT_EQ(tied, 1u);
}

TEST_F(SelectionPipelineTest, OptionsThatMakeNoSense_AreNamed) {
  const auto error = [&](const std::string& sections) {
    return std::string(Build(sections, "never").message());
  };
  EXPECT_THAT(error("score: {method: guess}\n"),
              HasSubstr("want taylor, circuit, saper or random"));
  EXPECT_THAT(error("score: {method: circuit, circuit_objectives: [ece]}\nselect: {keep: 2}\n"),
              HasSubstr("want id_nll"));
  EXPECT_THAT(error("score: {method: circuit}\nselect: {keep: 5}\n"), HasSubstr("want 1..4"));
  EXPECT_THAT(error("score: {method: saper}\n"), HasSubstr("budget: got 0, want 1..8"));
  EXPECT_THAT(error("score: {method: saper, saper_alpha_shape: step}\nselect: {budget: 3}\n"),
              HasSubstr("want geometric, cosine or linear"));
  EXPECT_THAT(error("score: {method: saper, saper_steps: 2, saper_clusters: short.json}\n"
                    "select: {budget: 3}\n"),
              HasSubstr("clusters: got 1 layers"));
  EXPECT_THAT(error("select: {budget: 3, layer_scale: max}\n"), HasSubstr("unit_norm or none"));
  EXPECT_THAT(error("select: {budget: 9}\n"), HasSubstr("want 1..8"));
  EXPECT_THAT(error("select: {keep: 2}\nfinetune: {steps: 1, blocks: 3}\n"),
              HasSubstr("want 1..2, the layers"));
  EXPECT_THAT(error("select: {keep: 2}\nfinetune: {steps: 1, block_start: last}\n"),
              HasSubstr("average or first"));
}

}  // namespace
}  // namespace hydra::builder
