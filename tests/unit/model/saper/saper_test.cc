#include "model/saper/saper.h"

#include <ATen/ops/cosine_similarity.h>
#include <ATen/ops/cross_entropy_loss.h>

#include <filesystem>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/ensemble/prune.h"
#include "tests/unit/model/bar_images.h"
#include "tests/unit/model/random_network.h"

namespace hydra::saper {
namespace {

using testing::BarImages;
using ::testing::HasSubstr;
using testing::LargestDifference;

const base::RealClock kClock;

void Ignore(const train::TrainProgress&) {}

// A network that has learnt the bars.
const nn::Network& Base() {
  static const nn::Network base = [] {
    nn::Network network = train::RandomNetwork(testing::TinyGeometry(), 1, 5);
    const train::TrainOptions options = {
        .steps = 120, .batch = 32, .learning_rate = 3e-3, .seed = 5};
    EXPECT_TRUE(train::Train(BarImages(256), options, kClock, Ignore, network).ok());
    return network;
  }();
  return base;
}

SoftOptions Soft(size_t budget) {
  return {.train = {.steps = 40, .batch = 32, .learning_rate = 1e-3, .dropout = 0.1, .seed = 3},
          .selector = {.budget = budget, .learning_rate = 0.05}};
}

SoftChoice Choose(const SoftOptions& options) {
  auto choice = ChooseSoftly(Base(), BarImages(256), options, kClock, Ignore);
  EXPECT_TRUE(choice.ok()) << choice.status();
  return *std::move(choice);
}

ensemble::KeptHeads Largest(const SoftChoice& choice, size_t budget) {
  return importance::SelectGlobally({choice.scores}, {.budget = budget}).value()[0];
}

double MaskedLoss(const nn::Network& network, const ensemble::KeptHeads& kept) {
  const train::ExampleSet data = BarImages(256);
  std::vector<size_t> rows(data.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  const at::Tensor logits = nn::Forward(network, train::Gather(data, rows),
                                        {.tap = ensemble::ZeroMask(network, kept)})[0];
  return at::cross_entropy_loss(logits, data.labels).item<double>();
}

ensemble::KeptHeads RandomKept(size_t budget, base::Rng& rng) {
  importance::HeadTable table(3, std::vector<double>(4));
  for (auto& row : table) {
    for (double& value : row) value = rng.Uniform();
  }
  return importance::SelectGlobally({table}, {.budget = budget}).value()[0];
}

std::vector<std::string> AllParameters(nn::Network network) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : nn::NamedParameters(network)) names.push_back(name);
  return names;
}

bool SameParameters(nn::Network a, nn::Network b) {
  const auto left = nn::NamedParameters(a), right = nn::NamedParameters(b);
  for (size_t i = 0; i < left.size(); ++i) {
    if (!at::equal(*left[i].second, *right[i].second)) return false;
  }
  return true;
}

TEST(ChooseSoftlyTest, ScoresAlone_FindHeadsThatLoseLessThanRandomOnes) {
  SoftOptions options = Soft(4);
  options.train.frozen = AllParameters(Base());
  options.train.frozen.pop_back();  // something has to train
  options.train.dropout = 0.0;
  const SoftChoice choice = Choose(options);
  EXPECT_GT(choice.hardness, 0.9);
  const double found = MaskedLoss(Base(), Largest(choice, 4));
  base::Rng rng(9);
  size_t better = 0;
  for (int i = 0; i < 20; ++i) better += MaskedLoss(Base(), RandomKept(4, rng)) < found;
  EXPECT_LE(better, 2u) << "loss of the choice " << found;
}

TEST(ChooseSoftlyTest, SameSeed_RepeatsAndFrozenProjectionsStay) {
  const SoftChoice one = Choose(Soft(5)), two = Choose(Soft(5));
  EXPECT_EQ(one.scores, two.scores);
  EXPECT_TRUE(SameParameters(one.network, two.network));
  const auto& before = Base().weights.layers[1];
  const auto& after = one.network.weights.layers[1];
  EXPECT_TRUE(after.qkv_weight.equal(before.qkv_weight));
  EXPECT_TRUE(after.qkv_bias.equal(before.qkv_bias));
  EXPECT_FALSE(after.out_weight.equal(before.out_weight));
  SoftOptions tuned = Soft(5);
  tuned.qkv = QueryKeyValue::kTuned;
  EXPECT_FALSE(Choose(tuned).network.weights.layers[1].qkv_weight.equal(before.qkv_weight));
}

TEST(ChooseSoftlyTest, InterruptedRun_EndsWithTheSameScores) {
  SoftOptions options = Soft(5);
  options.distil = DistilOptions{.layers = {2, 3}};
  const SoftChoice whole = Choose(options);
  options.train.state_path = ::testing::TempDir() + "/hydra_saper_state";
  options.train.save_every_steps = 10;
  std::filesystem::remove(options.train.state_path);
  struct Killed {};
  const auto kill = [](const train::TrainProgress& p) {
    if (p.step == 17) throw Killed{};
  };
  EXPECT_THROW((void)ChooseSoftly(Base(), BarImages(256), options, kClock, kill), Killed);
  size_t steps = 0;
  const auto resumed = ChooseSoftly(Base(), BarImages(256), options, kClock,
                                    [&](const train::TrainProgress&) { ++steps; });
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(steps, 30u);
  EXPECT_EQ(resumed->scores, whole.scores);
  EXPECT_TRUE(SameParameters(resumed->network, whole.network));
  options.selector.budget = 6;
  EXPECT_THAT(ChooseSoftly(Base(), BarImages(256), options, kClock, Ignore).status().message(),
              HasSubstr("state of another run"));
}

absl::StatusOr<nn::Network> PruneAndTune(const nn::Network& soft, const ensemble::KeptHeads& kept,
                                         const HardOptions& options,
                                         const train::ProgressCallback& progress) {
  absl::StatusOr<nn::Network> network = ensemble::PruneHeads(soft, kept);
  const absl::Status status =
      TuneHard(Base(), BarImages(256), options, {kClock, progress}, *network);
  if (!status.ok()) return status;
  return network;
}

TEST(TuneHardTest, NoSteps_IsTheSlicedNetwork) {
  const SoftChoice choice = Choose(Soft(3));
  const ensemble::KeptHeads kept = Largest(choice, 3);
  const auto hard = PruneAndTune(choice.network, kept, {}, Ignore);
  ASSERT_TRUE(hard.ok()) << hard.status();
  const at::Tensor images = testing::RandomImages(Base().geometry, 6, 1);
  const at::Tensor masked =
      nn::Forward(choice.network, images, {.tap = ensemble::ZeroMask(choice.network, kept)});
  EXPECT_LE(LargestDifference(nn::Forward(*hard, images), masked), 1e-4);
}

TEST(TuneHardTest, CrossEntropy_RecoversWhatRemovalCost) {
  const SoftChoice choice = Choose(Soft(3));
  const ensemble::KeptHeads kept = Largest(choice, 3);
  HardOptions options = {.train = {.steps = 40, .batch = 32, .learning_rate = 1e-3, .seed = 2}};
  std::vector<double> losses;
  const auto hard = PruneAndTune(choice.network, kept, options,
                                 [&](const train::TrainProgress& p) { losses.push_back(p.loss); });
  ASSERT_TRUE(hard.ok()) << hard.status();
  EXPECT_LT(losses.back(), losses.front());
  EXPECT_EQ(hard->plan[0].heads[0], kept[0]);
}

TEST(TuneHardTest, Distillation_ApproachesTheTeacherAndLeavesTheClassifier) {
  base::Rng rng(4);
  const ensemble::KeptHeads kept = RandomKept(6, rng);
  for (const DistilTarget target : {DistilTarget::kTokens, DistilTarget::kClsMean}) {
    HardOptions options = {.train = {.steps = 40, .batch = 32, .learning_rate = 1e-3, .seed = 2},
                           .distil = DistilOptions{.layers = {2, 3}, .target = target}};
    std::vector<double> losses;
    const auto record = [&](const train::TrainProgress& p) { losses.push_back(p.loss); };
    const auto hard = PruneAndTune(Base(), kept, options, record);
    ASSERT_TRUE(hard.ok()) << hard.status();
    EXPECT_LT(losses.back(), 0.5 * losses.front());
    EXPECT_TRUE(hard->weights.classifier_weight.equal(Base().weights.classifier_weight));
    options.classifier_steps = 5;
    losses.clear();
    const auto probed = PruneAndTune(Base(), kept, options, record);
    ASSERT_TRUE(probed.ok()) << probed.status();
    EXPECT_EQ(losses.size(), 45u);
    EXPECT_FALSE(probed->weights.classifier_weight.equal(Base().weights.classifier_weight));
    EXPECT_TRUE(probed->weights.layers[0].fc1_weight.equal(hard->weights.layers[0].fc1_weight));
  }
}

TEST(TuneHardTest, FrozenProjections_Stay) {
  const HardOptions options = {.train = {.steps = 3, .batch = 32, .seed = 2},
                               .qkv = QueryKeyValue::kFrozen};
  const ensemble::KeptHeads all = {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}};
  const auto hard = PruneAndTune(Base(), all, options, Ignore);
  ASSERT_TRUE(hard.ok()) << hard.status();
  EXPECT_TRUE(hard->weights.layers[2].qkv_weight.equal(Base().weights.layers[2].qkv_weight));
  EXPECT_FALSE(hard->weights.layers[2].out_weight.equal(Base().weights.layers[2].out_weight));
}

TEST(TuneHardTest, StudentOfAnotherGeometry_IsRefused) {
  artifact::Geometry wider = testing::TinyGeometry();
  wider.mlp_width = 21;
  nn::Network other = train::RandomNetwork(wider, 1, 5);
  const HardOptions options = {.train = {.steps = 1}, .distil = DistilOptions{}};
  EXPECT_THAT(TuneHard(Base(), BarImages(16), options, {kClock, Ignore}, other).message(),
              HasSubstr("teacher's geometry"));
}

TEST(DistillerTest, Loss_IsOneMinusTheMeanCosine) {
  const nn::Network teacher = testing::WideNetwork(testing::TinyGeometry(), 4);
  const nn::Network student = testing::WideNetwork(testing::TinyGeometry(), 6);
  const at::Tensor images = testing::RandomImages(teacher.geometry, 5, 1);
  const auto last = [&](const nn::Network& network) {
    at::Tensor output;
    nn::ForwardOptions forward;
    forward.observe = [&](size_t l, const at::Tensor& hidden) {
      if (l == 3) output = hidden[0];
    };
    nn::Forward(network, images, forward);
    return output.view({5, 10, -1}).to(at::kDouble);  // CLS and nine patches
  };
  const auto loss = [&](const nn::Network& network, DistilTarget target) {
    Distiller distiller(teacher, {.target = target});
    nn::ForwardOptions forward;
    distiller.Watch(forward);
    nn::Forward(network, images, forward);
    return distiller.Loss(images).item<double>();
  };
  const at::Tensor s = last(student), t = last(teacher);
  const auto pooled = [](const at::Tensor& x) {
    return at::cat({x.select(1, 0), x.narrow(1, 1, 9).mean(1)}, 1);
  };
  EXPECT_NEAR(loss(student, DistilTarget::kTokens),
              1.0 - at::cosine_similarity(s, t, 2).mean().item<double>(), 1e-5);
  EXPECT_NEAR(loss(student, DistilTarget::kClsMean),
              1.0 - at::cosine_similarity(pooled(s), pooled(t), 1).mean().item<double>(), 1e-5);
  EXPECT_NEAR(loss(teacher, DistilTarget::kTokens), 0.0, 1e-5);
}

TEST(ChooseSoftlyTest, RequestsThatMakeNoSense_AreRefused) {
  const auto refuse = [](const nn::Network& base, const SoftOptions& options) {
    return ChooseSoftly(base, BarImages(16), options, kClock, Ignore).status();
  };
  EXPECT_THAT(refuse(Base(), Soft(13)).message(), HasSubstr("want 1..12"));
  const nn::Network pruned = ensemble::PruneHeads(Base(), {{0}, {1}, {2}}).value();
  EXPECT_THAT(refuse(pruned, Soft(2)).message(), HasSubstr("every head"));
  nn::Network readers = Base();
  readers.reader.emplace();
  EXPECT_FALSE(refuse(readers, Soft(2)).ok());
  SoftOptions options = Soft(5);
  options.distil = DistilOptions{.layers = {4}};
  EXPECT_THAT(refuse(Base(), options).message(), HasSubstr("want 1..3"));
  EXPECT_FALSE(ParseDistilTarget("patches").ok());
}

}  // namespace
}  // namespace hydra::saper
