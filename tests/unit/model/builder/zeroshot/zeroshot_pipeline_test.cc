// From images and the names of two of three classes to a verified bundle and the table of scores.
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/artifact/bundle.h"
#include "model/base/clock.h"
#include "model/base/file.h"
#include "model/builder/packing/verify_step.h"
#include "model/builder/recipe/pipeline.h"
#include "model/builder/recipe/recipe.h"
#include "model/builder/zeroshot/align_step.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "model/nn/pass/forward.h"
#include "nlohmann/json.hpp"
#include "tests/fakes/scratch_directory.h"
#include "tests/unit/model/builder/tiny_data.h"

namespace hydra::builder {
namespace {

using fakes::ScratchDirectory;
using testing::HasSubstr;
using testing_data::RecordingConsole;
using testing_data::WriteTinyIdx;

// Noise makes some answers wrong.
constexpr char kRecipe[] = R"(
data:
  pool: {kind: idx, images: pool-images, labels: pool-labels}
  test: {kind: idx, images: test-images, labels: test-labels}
  ood: {noise: {kind: idx, images: ood-images}}
  label_names: [left, right, bottom]
  classes: [bottom, left]
  splits: {select: 60, fit: 60, path: 60, certify: 120, conformal: 60}
align: {text: text, projection: 11, logit_scale: 15, patch_size: 4, width: 16, layers: 2, heads: 4,
        mlp: 32, steps: 6, batch: 20, lr: 0.003, dropout: 0.0}
prompts: {templates: ["a photo of a {}.", "{} of a"], names: [red cat, boat]}
score: {members: 3, method: random}
select: {keep: 2}
finetune: {steps: 0}
merge: {tolerance: 1.0}
calibrate: {cuts: 10, alphas: [0.2]}
evaluate: {final: true, resamples: 20}
zeroshot: {vilu_steps: 10, vilu_batch: 30}
pack: {name: tiny, golden_rows: 8}
)";

class ZeroShotPipelineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = new ScratchDirectory;
    WriteTinyIdx(scratch_->Path("pool"), 800, 1);
    WriteTinyIdx(scratch_->Path("test"), 300, 2);
    WriteTinyIdx(scratch_->Path("ood"), 60, 3);
    const std::string golden = std::string(HYDRA_SOURCE_DIR) + "/tests/golden/";
    std::filesystem::copy(golden + "encoders/bert_model", scratch_->Path("text"));
    std::filesystem::copy_file(golden + "zeroshot/dual_vit_bert/tokenizer.json",
                               scratch_->Path("text/tokenizer.json"));
    const base::RealClock clock;
    RecordingConsole console;
    const auto recipe = ParseRecipe(kRecipe, "recipe.yaml", scratch_->path());
    built_ = recipe.ok() ? BuildBundle(*recipe, scratch_->Path("work"), scratch_->Path("bundle"),
                                       {clock, console})
                         : recipe.status();
    log_ = console.text();
  }
  static void TearDownTestSuite() { delete scratch_; }

  static std::string WorkOf(const std::string& step) {
    for (const auto& entry : std::filesystem::directory_iterator(scratch_->Path("work"))) {
      if (entry.path().filename().string().rfind(step + "-", 0) == 0) return entry.path().string();
    }
    return "";
  }

  static nlohmann::json Json(const std::string& path) {
    return nlohmann::json::parse(base::ReadFile(path, 1 << 24).value());
  }

  static ScratchDirectory* scratch_;
  static absl::Status built_;
  static std::string log_;
};

ScratchDirectory* ZeroShotPipelineTest::scratch_ = nullptr;
absl::Status ZeroShotPipelineTest::built_;
std::string ZeroShotPipelineTest::log_;

TEST_F(ZeroShotPipelineTest, Recipe_MakesABundleThatVerifies) {
  ASSERT_TRUE(built_.ok()) << built_;
  const base::RealClock clock;
  RecordingConsole console;
  const absl::Status verified = VerifyBundle(scratch_->Path("bundle"), {clock, console});
  EXPECT_TRUE(verified.ok()) << verified;
  const auto bundle = artifact::Bundle::Open(scratch_->Path("bundle"));
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->manifest().family, "vision_text_dual_encoder");
  EXPECT_EQ(bundle->manifest().members, 3u);
  EXPECT_EQ(bundle->manifest().geometry.projection_width, 11u);
  EXPECT_EQ(bundle->labels(), (std::vector<std::string>{"bottom", "left"}));
}

TEST_F(ZeroShotPipelineTest, AlignedCheckpoint_ReadsBackOnBothSides) {
  ASSERT_TRUE(built_.ok()) << built_;
  const auto checkpoint = nn::ImportCheckpoint(WorkOf("align"));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
  EXPECT_EQ(checkpoint->family, "vision_text_dual_encoder");
  EXPECT_EQ(checkpoint->network.geometry.pooler, "tanh");
  const auto text = nn::ImportTextSide(WorkOf("align"));
  ASSERT_TRUE(text.ok()) << text.status();
  // The text encoder stayed as it was.
  const auto before = nn::ImportCheckpoint(scratch_->Path("text"));
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_TRUE(text->weights.word.equal(before->network.weights.word));
  EXPECT_TRUE(text->weights.pooler_weight.equal(before->network.weights.pooler_weight));
  EXPECT_NEAR(*ReadLogitScale(WorkOf("align")), 15.0, 1e-4);
}

TEST_F(ZeroShotPipelineTest, Prompts_HaveTheTextsThatTrainingSaw) {
  ASSERT_TRUE(built_.ok()) << built_;
  const auto single = ReadNetwork(WorkOf("prompts"));
  ASSERT_TRUE(single.ok()) << single.status();
  const at::Tensor rows = single->network.weights.classifier_weight[0];
  EXPECT_NEAR(rows[0].norm().item<double>(), 15.0, 1e-3);
  EXPECT_EQ(Json(WorkOf("prompts") + "/prompts.json")["labels"][0], "bottom");
}

TEST_F(ZeroShotPipelineTest, Table_ComparesAllScoresOnErrorsNoiseAndTheClassLeftOut) {
  ASSERT_TRUE(built_.ok()) << built_;
  const auto json = Json(WorkOf("zeroshot") + "/zeroshot.json");
  std::vector<std::string> names;
  for (const auto& row : json["scores"]) {
    names.push_back(row["score"]);
    EXPECT_TRUE(row["ood"].contains("noise"));
    EXPECT_TRUE(row["ood"].contains("other_classes"));
    EXPECT_TRUE(row["misclassification"].contains("fpr95_error_positive"));
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"MCM, T = 1", "MCM, logit scale", "entropy", "DOCTOR",
                                            "ViLU", "Hydra of 3, mutual_information",
                                            "Hydra of 3, one_minus_confidence"}));
  const size_t kept = json["data"]["n"], others = json["ood"]["other_classes"]["n"];
  EXPECT_EQ(kept + others, 300u);
  EXPECT_THAT(log_, HasSubstr("| MCM, T = 1 |"));
  EXPECT_THAT(base::ReadFile(scratch_->Path("work/ledger.jsonl"), 1 << 20).value(),
              HasSubstr("\"zeroshot\""));
}

TEST(FixedProjectionTest, EqualWidths_AreTheIdentity) {
  EXPECT_TRUE(FixedProjection(5, 5, 3).equal(at::eye(5)));
}

TEST(FixedProjectionTest, OtherWidths_AreOrthonormalAndFollowTheSeed) {
  const at::Tensor narrow = FixedProjection(3, 7, 1), wide = FixedProjection(7, 3, 1);
  EXPECT_TRUE(at::allclose(at::matmul(narrow, narrow.t()), at::eye(3), 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(at::matmul(wide.t(), wide), at::eye(3), 1e-5, 1e-6));
  EXPECT_TRUE(narrow.equal(FixedProjection(3, 7, 1)));
  EXPECT_FALSE(narrow.equal(FixedProjection(3, 7, 2)));
}

}  // namespace
}  // namespace hydra::builder
