#include "model/builder/zeroshot/prompts_step.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/artifact/tensor_file.h"
#include "model/base/clock.h"
#include "model/nn/checkpoint/weight_files.h"
#include "model/nn/pass/forward.h"
#include "tests/fakes/scratch_directory.h"
#include "tests/unit/model/builder/tiny_data.h"

namespace hydra::builder {
namespace {

using fakes::ScratchDirectory;
using testing::HasSubstr;
using testing_data::RecordingConsole;

const std::vector<std::string> kLabels = {"red cat", "boat", "very tall tree"};
constexpr double kTolerance = 1e-4;

// A checkpoint of tests/golden/encoders with the tokenizer of tests/golden/zeroshot.
std::string Checkpoint(const std::string& name, const ScratchDirectory& scratch) {
  const std::string golden = std::string(HYDRA_SOURCE_DIR) + "/tests/golden/";
  const std::string directory = scratch.Path(name);
  std::filesystem::copy(golden + "encoders/" + name, directory);
  std::filesystem::copy(
      golden + "zeroshot/" + name, directory,
      std::filesystem::copy_options::overwrite_existing | std::filesystem::copy_options::recursive);
  return directory;
}

struct Vectors {
  at::Tensor images, logits;
};

Vectors ReadVectors(const std::string& directory) {
  const auto file = artifact::TensorFile::Open(directory + "/vectors.safetensors", 1 << 20);
  const auto read = [&](const char* name) {
    const artifact::TensorView view = file->tensors().at(name);
    return *nn::ReadTensor(*file, name, {view.shape.begin(), view.shape.end()});
  };
  return {read("images"), read("logits_per_image")};
}

class ReferenceTest : public testing::TestWithParam<const char*> {};

TEST_P(ReferenceTest, OneTemplate_GivesTheLogitsOfTheReference) {
  const ScratchDirectory scratch;
  const std::string directory = Checkpoint(GetParam(), scratch);
  const base::RealClock clock;
  RecordingConsole console;
  const absl::Status status =
      RunPrompts({.label_names = kLabels}, {}, directory, scratch.Path("out"), {clock, console});
  ASSERT_TRUE(status.ok()) << status;
  const auto stored = ReadNetwork(scratch.Path("out"));
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->labels, kLabels);
  const Vectors want = ReadVectors(directory);
  const at::Tensor got = nn::Forward(stored->network, want.images)[0];
  const double largest = want.logits.abs().max().item<double>();
  EXPECT_LE((got - want.logits).abs().max().item<double>(), kTolerance * largest);
  EXPECT_THAT(console.text(), HasSubstr("3 classes of 1 templates"));
}

INSTANTIATE_TEST_SUITE_P(TwoSided, ReferenceTest, testing::Values("clip", "dual_vit_bert"),
                         [](const auto& parameters) { return std::string(parameters.param); });

TEST(MakeZeroShotTest, SeveralTemplates_AverageDirectionsOfEach) {
  const ScratchDirectory scratch;
  const std::string directory = Checkpoint("clip", scratch);
  const auto matrix = [&](const std::vector<std::string>& templates) {
    const auto stored = MakeZeroShot(directory, {templates, kLabels}, kLabels);
    EXPECT_TRUE(stored.ok()) << stored.status();
    return stored->network.weights.classifier_weight[0];
  };
  const double scale = *ReadLogitScale(directory);
  const at::Tensor sum = matrix({"a photo of a {}."}) + matrix({"{} of a {}"});
  const at::Tensor want = scale * sum / sum.norm(2, 1, true);
  EXPECT_LE((matrix({"a photo of a {}.", "{} of a {}"}) - want).abs().max().item<double>(), 1e-5);
}

TEST(MakeZeroShotTest, OtherNames_KeepTheLabels) {
  const ScratchDirectory scratch;
  const std::string directory = Checkpoint("clip", scratch);
  const Prompts prompts = PromptsOf({.names = {"cat", "boat", "tree"}}, kLabels);
  const auto stored = MakeZeroShot(directory, prompts, kLabels);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->labels, kLabels);
  const auto plain = MakeZeroShot(directory, PromptsOf({}, kLabels), kLabels);
  EXPECT_FALSE(
      stored->network.weights.classifier_weight.equal(plain->network.weights.classifier_weight));
}

TEST(MakeZeroShotTest, PromptsThatSayNothing_AreRefused) {
  const ScratchDirectory scratch;
  const std::string directory = Checkpoint("clip", scratch);
  const auto refusal = [&](const Prompts& prompts) {
    return std::string(MakeZeroShot(directory, prompts, kLabels).status().message());
  };
  EXPECT_THAT(refusal({{"a photo"}, kLabels}), HasSubstr("a photo"));
  EXPECT_THAT(refusal({{}, kLabels}), HasSubstr("0 templates"));
  const std::string longest(200, '.');
  EXPECT_THAT(refusal({{"{}" + longest}, kLabels}), HasSubstr("want at most 13"));
}

TEST(MakeZeroShotTest, OneSidedCheckpoint_IsRefused) {
  const std::string directory = std::string(HYDRA_SOURCE_DIR) + "/tests/golden/encoders/vit_plain";
  const auto stored = MakeZeroShot(directory, PromptsOf({}, kLabels), kLabels);
  EXPECT_EQ(stored.status().code(), absl::StatusCode::kUnimplemented);
}

TEST(PromptLabelsTest, ChosenClasses_GoBeforeAllNames) {
  const DataOptions data{.label_names = {"a", "b", "c"}, .classes = {"c", "a"}};
  EXPECT_EQ(*PromptLabels(data, {}), data.classes);
  EXPECT_FALSE(PromptLabels(data, {.names = {"one"}}).ok());
  EXPECT_FALSE(PromptLabels({}, {}).ok());
}

}  // namespace
}  // namespace hydra::builder
