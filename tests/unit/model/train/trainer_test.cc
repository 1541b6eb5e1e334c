#include "model/train/trainer.h"

#include <cstdio>
#include <filesystem>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/ensemble/merge.h"
#include "model/nn/pass/forward.h"
#include "model/train/schedule.h"
#include "tests/unit/model/random_network.h"

namespace hydra::train {
namespace {

using ::testing::HasSubstr;

// Images whose class is the brightest of five bars: learnable in a few steps.
ExampleSet BarImages(size_t count) {
  base::Rng rng(2);
  ExampleSet set{.pixels = at::zeros({static_cast<int64_t>(count), 1, 12, 12}, at::kByte),
                 .mean = {0.3},
                 .stddev = {0.3},
                 .labels = at::zeros({static_cast<int64_t>(count)}, at::kLong)};
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    const auto label = static_cast<int64_t>(rng.UniformBelow(5));
    set.labels[i] = label;
    set.pixels[i][0]
        .narrow(0, 2 * label, 2)
        .fill_(150 + static_cast<int64_t>(rng.UniformBelow(100)));
  }
  return set;
}

TrainOptions QuickOptions() {
  return {.steps = 24,
          .batch = 32,
          .learning_rate = 3e-3,
          .warmup_steps = 4,
          .dropout = 0.1,
          .seed = 5};
}

std::vector<double> Losses(const ExampleSet& data, const TrainOptions& options,
                           nn::Network& network) {
  std::vector<double> losses;
  const base::RealClock clock;
  const absl::Status status = Train(
      data, options, clock, [&](const TrainProgress& progress) { losses.push_back(progress.loss); },
      network);
  EXPECT_TRUE(status.ok()) << status;
  return losses;
}

bool SameParameters(nn::Network& a, nn::Network& b) {
  const auto left = nn::NamedParameters(a), right = nn::NamedParameters(b);
  for (size_t i = 0; i < left.size(); ++i) {
    if (!at::equal(*left[i].second, *right[i].second)) return false;
  }
  return true;
}

TEST(TrainTest, FrozenParameters_KeepTheirValuesWhileOthersMove) {
  const ExampleSet data = BarImages(64);
  const artifact::Geometry geometry = {.layers = 1,
                                       .width = 8,
                                       .heads = 2,
                                       .head_width = 4,
                                       .mlp_width = 8,
                                       .classes = 5,
                                       .activation = "gelu",
                                       .layer_norm_epsilon = 1e-6,
                                       .projection_width = 6,
                                       .pooler = "tanh",
                                       .image_height = 12,
                                       .image_width = 12,
                                       .channels = 1,
                                       .patch_size = 6};
  nn::Network network = RandomNetwork(geometry, 1, 3);
  const nn::Network before = nn::Clone(network);
  TrainOptions options = QuickOptions();
  options.frozen = {"classifier.weight", "classifier.bias"};
  Losses(data, options, network);
  EXPECT_TRUE(network.weights.classifier_weight.equal(before.weights.classifier_weight));
  EXPECT_TRUE(network.weights.classifier_bias.equal(before.weights.classifier_bias));
  EXPECT_FALSE(network.weights.projection.equal(before.weights.projection));
  EXPECT_FALSE(network.weights.pooler_weight.equal(before.weights.pooler_weight));
}

TEST(TrainTest, LearnableData_LossFallsAndSeedRepeats) {
  const ExampleSet data = BarImages(256);
  nn::Network first = RandomNetwork(testing::TinyGeometry(), 1, 5), second = nn::Clone(first);
  TrainOptions options = QuickOptions();
  options.steps = 150;
  const std::vector<double> losses = Losses(data, options, first);
  ASSERT_EQ(losses.size(), 150u);
  EXPECT_LT(losses.back(), 0.5 * losses.front());
  EXPECT_EQ(Losses(data, options, second), losses);
  EXPECT_TRUE(SameParameters(first, second));
}

TEST(TrainTest, InterruptedRun_EndsWithTheSameParameters) {
  const ExampleSet data = BarImages(256);
  nn::Network whole = RandomNetwork(testing::TinyGeometry(), 1, 5);
  nn::Network resumed = nn::Clone(whole);
  TrainOptions options = QuickOptions();
  options.augmentation = {.flip = true, .shift_pixels = 1};
  Losses(data, options, whole);

  options.state_path = ::testing::TempDir() + "/hydra_train_state";
  options.save_every_steps = 10;
  std::filesystem::remove(options.state_path);
  nn::Network killed = nn::Clone(resumed);
  const base::RealClock clock;
  struct Killed {};
  EXPECT_THROW((void)Train(
                   data, options, clock,
                   [](const TrainProgress& p) {
                     if (p.step == 17) throw Killed{};
                   },
                   killed),
               Killed);
  const std::vector<double> rest = Losses(data, options, resumed);
  EXPECT_EQ(rest.size(), 14u);  // steps 11..24, from the state of step 10
  EXPECT_TRUE(SameParameters(whole, resumed));
}

TEST(TrainTest, StateOfAnotherRun_IsRefused) {
  const ExampleSet data = BarImages(64);
  TrainOptions options = QuickOptions();
  options.steps = 2;
  options.state_path = ::testing::TempDir() + "/hydra_other_state";
  std::filesystem::remove(options.state_path);
  nn::Network network = RandomNetwork(testing::TinyGeometry(), 1, 5);
  Losses(data, options, network);
  options.learning_rate = 1e-4;
  const base::RealClock clock;
  EXPECT_THAT(Train(
                  data, options, clock, [](const TrainProgress&) {}, network)
                  .message(),
              HasSubstr("state of another run"));
}

TEST(TrainTest, MergedMembers_AreTunedTogether) {
  const ExampleSet data = BarImages(128);
  const nn::Network base = RandomNetwork(testing::TinyGeometry(), 1, 5);
  const std::vector<nn::Network> members = {
      ensemble::PruneHeads(base, {{0, 1}, {0}, {1, 2}}).value(),
      ensemble::PruneHeads(base, {{2}, {1, 3}, {0, 3}}).value()};
  nn::Network merged = ensemble::MergeMembers(members, {}).value();
  TrainOptions options = QuickOptions();
  options.bootstrap = true;
  const std::vector<double> losses = Losses(data, options, merged);
  EXPECT_LT(losses.back(), losses.front());
  EXPECT_TRUE(nn::CheckNetwork(merged).ok())
      << nn::CheckNetwork(merged);  // padded heads are still zero
  const at::Tensor logits = nn::Forward(merged, testing::RandomImages(merged.geometry, 8, 1));
  EXPECT_GT(testing::LargestDifference(logits[0], logits[1]), 1e-3);
}

TEST(TrainTest, LabelOutOfRange_IsRefused) {
  ExampleSet data = BarImages(8);
  data.labels[3] = 5;
  nn::Network network = RandomNetwork(testing::TinyGeometry(), 1, 5);
  const base::RealClock clock;
  EXPECT_THAT(Train(
                  data, QuickOptions(), clock, [](const TrainProgress&) {}, network)
                  .message(),
              HasSubstr("want 0..4"));
}

TEST(ScheduleTest, WarmupThenCosine_StartsLowPeaksAndEndsAtZero) {
  const Schedule schedule{.peak = 1.0, .warmup_steps = 10, .steps = 110};
  EXPECT_DOUBLE_EQ(LearningRate(schedule, 0), 0.1);
  EXPECT_DOUBLE_EQ(LearningRate(schedule, 9), 1.0);
  EXPECT_DOUBLE_EQ(LearningRate(schedule, 10), 1.0);
  EXPECT_NEAR(LearningRate(schedule, 60), 0.5, 1e-12);
  EXPECT_NEAR(LearningRate(schedule, 110), 0.0, 1e-12);
}

TEST(ExampleSetTest, FlipAndShift_MovePixels) {
  ExampleSet set{.pixels = at::zeros({1, 1, 3, 3}, at::kByte),
                 .mean = {0.0},
                 .stddev = {1.0},
                 .rescale_factor = 1.0,
                 .labels = at::zeros({1}, at::kLong)};
  set.pixels[0][0][1][0] = 9;
  bool flipped = false, moved = false;
  base::Rng rng(1);
  const std::vector<size_t> row = {0};
  for (int i = 0; i < 20; ++i) {
    const auto image = std::get<at::Tensor>(GatherAugmented(set, row, {.flip = true}, rng));
    flipped = flipped || image[0][0][1][2].item<float>() == 9.0f;
    const auto shifted = std::get<at::Tensor>(GatherAugmented(set, row, {.shift_pixels = 1}, rng));
    moved = moved || shifted[0][0][0][1].item<float>() == 9.0f;
    EXPECT_LE(shifted.sum().item<float>(), 9.0f);
  }
  EXPECT_TRUE(flipped);
  EXPECT_TRUE(moved);
  EXPECT_EQ(std::get<at::Tensor>(Gather(set, row))[0][0][1][0].item<float>(), 9.0f);
}

}  // namespace
}  // namespace hydra::train
