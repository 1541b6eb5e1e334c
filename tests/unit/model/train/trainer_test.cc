#include "model/train/trainer.h"

#include <cstdio>
#include <filesystem>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/ensemble/add_readers.h"
#include "model/ensemble/merge.h"
#include "model/ensemble/tie_blocks.h"
#include "model/nn/pass/forward.h"
#include "model/train/objective.h"
#include "model/train/proxies.h"
#include "model/train/schedule.h"
#include "tests/unit/model/bar_images.h"
#include "tests/unit/model/random_network.h"

namespace hydra::train {
namespace {

using ::testing::HasSubstr;

using testing::BarImages;

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

TEST(TrainTest, TiedLayers_StayTiedAndMoveAsOneParameter) {
  const ExampleSet data = BarImages(64);
  const nn::Network base = RandomNetwork(testing::TinyGeometry(), 1, 5);
  nn::Network tied = ensemble::TieBlocks(base, {1, 2}, ensemble::TieMode::kAverage).value();
  const uint64_t parameters = ensemble::DistinctParameters(tied);
  const std::vector<double> losses = Losses(data, QuickOptions(), tied);
  EXPECT_LT(losses.back(), losses.front());
  EXPECT_EQ(ensemble::DistinctParameters(tied), parameters);
  EXPECT_TRUE(tied.weights.layers[1].fc1_weight.equal(tied.weights.layers[2].fc1_weight));
  // One step moves a parameter by at most the learning rate and its decay; two would by twice that.
  nn::Network once = ensemble::TieBlocks(base, {1, 2}, ensemble::TieMode::kAverage).value();
  const at::Tensor before = once.weights.layers[1].fc1_bias.clone();
  TrainOptions options = QuickOptions();
  options.steps = 1;
  options.warmup_steps = 0;
  Losses(data, options, once);
  const double moved = testing::LargestDifference(once.weights.layers[1].fc1_bias, before);
  EXPECT_NEAR(moved, options.learning_rate, 0.01 * options.learning_rate);
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

double DisagreementOnProxies(const ExampleSet& data, const nn::Network& network) {
  base::Rng rng(9);
  std::vector<size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  const nn::Input proxies = MakeProxies(Gather(data, rows), network.geometry.patch_size, rng);
  return MutualInformation(nn::Forward(network, proxies)).item<double>();
}

// A trained base with untuned readers.
nn::Network Readers(const ExampleSet& data, size_t members) {
  nn::Network base = RandomNetwork(testing::TinyGeometry(), 1, 3);
  Losses(data, QuickOptions(), base);
  return ensemble::AddReaders(base, {.members = members, .layers = 2}).value();
}

TrainOptions TuneReaders() {
  TrainOptions options = QuickOptions();
  options.frozen = {"patch", "prefix", "position", "layers."};
  options.frozen_trunk = true;
  options.bootstrap = true;
  return options;
}

TEST(TrainTest, ReadersWithDiversity_DisagreeOnProxiesAndLeaveTheTrunk) {
  const ExampleSet data = BarImages(128);
  const nn::Network start = Readers(data, 3);
  nn::Network plain = nn::Clone(start), diverse = nn::Clone(start);
  TrainOptions options = TuneReaders();
  Losses(data, options, plain);
  options.diversity = 0.5;
  Losses(data, options, diverse);
  EXPECT_GT(DisagreementOnProxies(data, diverse), 2.0 * DisagreementOnProxies(data, plain));
  for (size_t l = 0; l < 2; ++l) {
    EXPECT_TRUE(
        at::equal(diverse.weights.layers[l].qkv_weight, start.weights.layers[l].qkv_weight));
  }
  EXPECT_FALSE(at::equal(diverse.weights.readers[0].query_weight[0],
                         diverse.weights.readers[0].query_weight[1]));
}

TEST(TrainTest, Exposure_FlattensAnswersToProxies) {
  const ExampleSet data = BarImages(128);
  nn::Network plain = Readers(data, 1), exposed = nn::Clone(plain);
  TrainOptions options = TuneReaders();
  Losses(data, options, plain);
  options.exposure = 1.0;
  Losses(data, options, exposed);
  const auto uniform = [&](const nn::Network& network) {
    base::Rng rng(9);
    return UniformLoss(nn::Forward(network, MakeProxies(Gather(data, {0, 1, 2, 3, 4, 5}), 4, rng)))
        .item<double>();
  };
  EXPECT_LT(uniform(exposed), uniform(plain) - 0.05);
}

TEST(TrainTest, Distillation_PullsEachMemberToItsTeacher) {
  const ExampleSet data = BarImages(128);
  TrainOptions options = TuneReaders();
  for (const uint64_t seed : {11, 12, 13}) {
    nn::Network& teacher =
        options.teachers.emplace_back(RandomNetwork(testing::TinyGeometry(), 1, seed));
    TrainOptions schooling = QuickOptions();
    Losses(data, schooling, teacher);
  }
  const nn::Network start = Readers(data, 3);
  const std::vector<size_t> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto distance = [&](const nn::Network& network) {
    std::vector<at::Tensor> taught;
    for (const nn::Network& teacher : options.teachers)
      taught.push_back(nn::Forward(teacher, Gather(data, rows)));
    return DistillationLoss(at::cat(taught), nn::Forward(network, Gather(data, rows)))
        .item<double>();
  };
  nn::Network taught = nn::Clone(start);
  options.distillation = 4.0;
  options.bootstrap = false;
  options.steps = 80;
  Losses(data, options, taught);
  EXPECT_LT(distance(taught), 0.8 * distance(start));
  options.teachers.pop_back();
  const base::RealClock clock;
  EXPECT_THAT(Train(
                  data, options, clock, [](const TrainProgress&) {}, taught)
                  .message(),
              HasSubstr("got 2 teachers for 3 members"));
}

}  // namespace
}  // namespace hydra::train
