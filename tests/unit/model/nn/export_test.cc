// What is exported comes back the same.
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "tests/unit/model/nn/encoder_vectors.h"

namespace hydra::nn {
namespace {

using testing::EncoderCase;
using ::testing::HasSubstr;
using testing::RelativeDifference;

constexpr double kExact = 1e-6;  // averaged classifiers are multiplied by 2 and divided again

std::string FreshDirectory() {
  const std::string directory = ::testing::TempDir() + "/hydra_export";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  return directory;
}

class RoundTripTest : public ::testing::TestWithParam<const char*> {};

TEST_P(RoundTripTest, ExportThenImport_GivesTheSameAnswers) {
  const auto original = ImportCheckpoint(EncoderCase(GetParam()));
  ASSERT_TRUE(original.ok()) << original.status();
  const std::string directory = FreshDirectory();
  const absl::Status exported = ExportCheckpoint(*original, directory);
  ASSERT_TRUE(exported.ok()) << exported;
  const auto copy = ImportCheckpoint(directory);
  ASSERT_TRUE(copy.ok()) << copy.status();
  EXPECT_EQ(copy->family, original->family);
  EXPECT_EQ(copy->labels, original->labels);
  EXPECT_EQ(copy->image_settings.mean, original->image_settings.mean);
  EXPECT_EQ(copy->image_settings.height, original->image_settings.height);
  EXPECT_EQ(copy->network.geometry, original->network.geometry);
  const auto vectors = testing::ReadVectors(GetParam(), "vectors.safetensors");
  EXPECT_LE(RelativeDifference(Forward(copy->network, vectors.input),
                               Forward(original->network, vectors.input)),
            kExact);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, RoundTripTest,
                         ::testing::Values("vit_plain", "vit_no_qkv_bias", "vit_resized",
                                           "vit_fp16", "deit_relu", "deit_teacher", "dinov2",
                                           "dinov2_swiglu", "dinov2_resized", "dinov2_registers",
                                           "dinov2_registers_swiglu", "bert", "bert_gelu_new",
                                           "bert_sharded", "bert_bf16", "roberta", "distilbert"),
                         [](const auto& parameters) { return std::string(parameters.param); });

TEST(ExportTest, HalfPrecisionSource_IsDeclaredFloat32) {
  const auto original = ImportCheckpoint(EncoderCase("vit_fp16"));
  ASSERT_TRUE(original.ok()) << original.status();
  const std::string directory = FreshDirectory();
  ASSERT_TRUE(ExportCheckpoint(*original, directory).ok());
  const std::string config = base::ReadFile(directory + "/config.json", 1 << 20).value();
  EXPECT_THAT(config, HasSubstr("\"dtype\": \"float32\""));
}

absl::Status Export(Checkpoint checkpoint) {
  return ExportCheckpoint(checkpoint, FreshDirectory());
}

TEST(ExportTest, WhatTheLayoutDoesNotHold_IsRefusedByName) {
  EXPECT_THAT(Export(ImportCheckpoint(EncoderCase("bert_model")).value()).message(),
              HasSubstr("ends in features, want a classifier"));
  EXPECT_THAT(Export(ImportCheckpoint(EncoderCase("clip")).value()).message(),
              HasSubstr("ends in features, want a classifier"));
  Checkpoint mean = ImportCheckpoint(EncoderCase("vit_plain")).value();
  mean.network.pooling = "mean";
  EXPECT_THAT(Export(mean).message(), HasSubstr("wants pooling \"cls\""));
  Checkpoint wide = ImportCheckpoint(EncoderCase("vit_plain")).value();
  ResizeImage(12, 16, wide.network);
  EXPECT_THAT(Export(wide).message(), HasSubstr("wants square images, got 12 x 16"));
  Checkpoint pruned = ImportCheckpoint(EncoderCase("bert")).value();
  pruned.network.plan[0].heads[0].pop_back();
  EXPECT_EQ(Export(pruned).code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace hydra::nn
