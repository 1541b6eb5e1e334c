// Parity with the reference library: logits and hidden states of committed random checkpoints
// (tests/golden/make_encoder_vectors.py) and of a trained one, where its files are present.
#include "model/nn/checkpoint/checkpoint.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/artifact/tensor_file.h"
#include "model/base/file.h"
#include "model/data/idx.h"
#include "model/nn/forward.h"
#include "model/nn/tensor_convert.h"
#include "tests/unit/model/nn/encoder_vectors.h"
#include "tests/unit/model/random_network.h"

namespace hydra::nn {
namespace {

using testing::EncoderCase;
using ::testing::HasSubstr;

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

TEST(CheckpointTest, ExportThenImport_GivesSameNetwork) {
  const auto original = ImportCheckpoint(EncoderCase("deit_relu"));
  ASSERT_TRUE(original.ok()) << original.status();
  const std::string directory = ::testing::TempDir() + "/hydra_export";
  std::filesystem::create_directories(directory);
  ASSERT_TRUE(ExportCheckpoint(*original, directory).ok());
  auto copy = ImportCheckpoint(directory);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(copy->labels, original->labels);
  EXPECT_EQ(copy->image_settings.mean, original->image_settings.mean);
  Network first = original->network;
  auto left = NamedParameters(first), right = NamedParameters(copy->network);
  ASSERT_EQ(left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i)
    EXPECT_TRUE(at::equal(*left[i].second, *right[i].second)) << left[i].first;
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
  const std::string directory = std::string(HYDRA_SOURCE_DIR) + "/../shared/data/fmnist-reference";
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
      ImportCheckpoint(std::string(HYDRA_SOURCE_DIR) + "/deploy/recipes/fashion-mnist-base");
  ASSERT_TRUE(base.ok()) << base.status();
  EXPECT_NEAR(TestSetRight(TestSetLogits(*base)), 8964, 2);  // docs/results.md
}

absl::Status ImportWith(const std::string& from, const std::string& to) {
  const std::string directory = ::testing::TempDir() + "/hydra_broken";
  std::filesystem::remove_all(directory);
  std::filesystem::copy(EncoderCase("vit_plain"), directory,
                        std::filesystem::copy_options::recursive);
  std::string config = base::ReadFile(directory + "/config.json", 1 << 20).value();
  const size_t at = config.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  config.replace(at, from.size(), to);
  EXPECT_TRUE(base::WriteFileAtomically(directory + "/config.json", config).ok());
  return ImportCheckpoint(directory).status();
}

TEST(CheckpointTest, WhatIsNotSupported_IsRefusedByName) {
  EXPECT_THAT(ImportWith("\"vit\"", "\"swin\"").message(),
              HasSubstr("model_type: got \"swin\", want one of: vit, deit, dinov2"));
  EXPECT_THAT(ImportWith("\"gelu\"", "\"mish\"").message(), HasSubstr("hidden_act: got \"mish\""));
  EXPECT_THAT(ImportWith("\"encoder_stride\"", "\"problem_type\": \"regression\", \"x\"").message(),
              HasSubstr("problem_type: got \"regression\""));
  EXPECT_THAT(ImportWith("\"num_attention_heads\": 3", "\"num_attention_heads\": 5").message(),
              HasSubstr("want a multiple of num_attention_heads 5"));
  EXPECT_THAT(ImportWith("\"hidden_size\": 18", "\"hidden_size\": -1").message(),
              HasSubstr("hidden_size: got -1"));
}

TEST(CheckpointTest, TensorThatDoesNotFit_IsNamed) {
  EXPECT_THAT(ImportWith("\"intermediate_size\": 29", "\"intermediate_size\": 41").message(),
              HasSubstr("intermediate.dense.weight"));
}

TEST(CheckpointTest, MissingDirectory_IsNamed) {
  EXPECT_EQ(ImportCheckpoint("/nonexistent").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hydra::nn
