// Trained checkpoints, where their files are present; bfloat16; layouts of several releases.
#include "model/nn/checkpoint/checkpoint.h"

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "model/artifact/tensor_file.h"
#include "model/base/file.h"
#include "model/data/idx.h"
#include "model/nn/pass/forward.h"
#include "model/nn/tensor_convert.h"
#include "tests/unit/model/nn/encoder_vectors.h"
#include "tests/unit/model/random_network.h"

namespace hydra::nn {
namespace {

using testing::EncoderCase;

TEST(CheckpointTest, BFloat16_StaysWithinTwoPercent) {
  auto checkpoint = ImportCheckpoint(EncoderCase("vit_plain"));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
  const at::Tensor images = testing::RandomImages(checkpoint->network.geometry, 16, 5);
  const at::Tensor exact = Forward(checkpoint->network, images);
  RoundMatricesToBFloat16(checkpoint->network);
  const at::Tensor rounded = Forward(checkpoint->network, images);
  const double relative =
      testing::LargestDifference(rounded, exact) / exact.abs().max().item<double>();
  EXPECT_LE(relative, 0.02);
  EXPECT_GT(relative, 0.0);
}

// A copy of a case with other names.
std::string Renamed(const std::string& name,
                    const std::function<std::string(const std::string&)>& rename) {
  const std::string source = EncoderCase(name);
  const std::string directory = absl::StrCat(::testing::TempDir(), "/hydra_older");
  std::filesystem::remove_all(directory);
  std::filesystem::copy(source, directory);
  const auto file =
      artifact::TensorFile::Open(absl::StrCat(source, "/model.safetensors"), 1 << 20).value();
  std::map<std::string, at::Tensor> renamed;
  for (const auto& [tensor, view] : file.tensors()) {
    renamed[rename(tensor)] =
        ReadTensor(file, tensor, {view.shape.begin(), view.shape.end()}).value();
  }
  EXPECT_TRUE(base::WriteFileAtomically(absl::StrCat(directory, "/model.safetensors"),
                                        EncodeFloatTensors(renamed, {}).value())
                  .ok());
  return directory;
}

void ExpectSameAnswers(const std::string& directory, const std::string& name) {
  const auto other = ImportCheckpoint(directory);
  ASSERT_TRUE(other.ok()) << other.status();
  const Input input = testing::ReadVectors(name, "vectors.safetensors").input;
  EXPECT_TRUE(at::equal(Forward(other->network, input),
                        Forward(ImportCheckpoint(EncoderCase(name)).value().network, input)));
}

// transformers 4 saved the tower of a VisionTextDualEncoder one level deeper than 5 does.
TEST(CheckpointTest, ClipTowerInTheOlderLayout_GivesTheSameAnswers) {
  const std::string directory = Renamed("dual_clip_bert", [](const std::string& name) {
    return absl::StartsWith(name, "vision_model.") ? absl::StrCat("vision_model.", name) : name;
  });
  ExpectSameAnswers(directory, "dual_clip_bert");
}

// As the LayerNorms of BERT's first checkpoints are named.
TEST(CheckpointTest, GammaAndBeta_AreTheWeightAndBiasOfLayerNorms) {
  const std::string directory = Renamed("bert", [](const std::string& name) {
    return absl::StrReplaceAll(
        name, {{"LayerNorm.weight", "LayerNorm.gamma"}, {"LayerNorm.bias", "LayerNorm.beta"}});
  });
  ExpectSameAnswers(directory, "bert");
}

// Published with the checkpoint: logits of test image 0, and 86.64 % of the 10 000 test images
// right.
constexpr float kReferenceLogits[] = {-2.18268f, -1.43527f, -2.28905f, -1.77034f, -1.70713f,
                                      1.11657f,  -1.34993f, 4.26840f,  -0.63459f, 7.36158f};
constexpr int64_t kReferenceRight = 8664;

const std::string kTestSet = "/usr/share/datasets/fashion-mnist/t10k-";

// Logits [10000, C] of the Fashion-MNIST test images.
at::Tensor TestSetLogits(const Checkpoint& checkpoint) {
  const auto images = data::ReadIdxImages(kTestSet + "images-idx3-ubyte.gz").value();
  const auto count = static_cast<int64_t>(images.count);
  const at::Tensor pixels =
      at::tensor(at::ArrayRef<uint8_t>(images.pixels), at::kByte).view({count, 1, 28, 28});
  return Forward(checkpoint.network, (pixels.to(at::kFloat) / 255.0 - 0.286) / 0.353)[0];
}

int64_t TestSetRight(const at::Tensor& logits) {
  const auto labels = data::ReadIdxLabels(kTestSet + "labels-idx1-ubyte.gz").value();
  const at::Tensor truth = at::tensor(at::ArrayRef<uint8_t>(labels), at::kByte).to(at::kLong);
  return logits.argmax(1).eq(truth).sum().item<int64_t>();
}

bool HaveTestSet() { return std::filesystem::exists(kTestSet + "images-idx3-ubyte.gz"); }

TEST(CheckpointTest, TrainedReference_GivesItsPublishedLogitsAndAccuracy) {
  const std::string directory = absl::StrCat(HYDRA_SOURCE_DIR, "/../shared/data/fmnist-reference");
  if (!std::filesystem::exists(directory) || !HaveTestSet()) {
    GTEST_SKIP() << "needs " << directory << " and " << kTestSet << "*";
  }
  const auto checkpoint = ImportCheckpoint(directory);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
  const at::Tensor logits = TestSetLogits(*checkpoint);
  const at::Tensor want = at::tensor(at::ArrayRef<float>(kReferenceLogits), at::kFloat);
  EXPECT_LE(testing::LargestDifference(logits[0], want), 1e-4 * 7.36158);
  EXPECT_NEAR(TestSetRight(logits), kReferenceRight, 2);
}

TEST(CheckpointTest, CommittedDemoBase_HasItsRecordedAccuracy) {
  if (!HaveTestSet()) GTEST_SKIP() << "needs " << kTestSet << "*";
  const auto base =
      ImportCheckpoint(absl::StrCat(HYDRA_SOURCE_DIR, "/deploy/recipes/fashion-mnist-base"));
  ASSERT_TRUE(base.ok()) << base.status();
  EXPECT_NEAR(TestSetRight(TestSetLogits(*base)), 8964, 2);  // docs/results.md
}

}  // namespace
}  // namespace hydra::nn
