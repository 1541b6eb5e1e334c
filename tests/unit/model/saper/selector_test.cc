#include "model/saper/selector.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/model/random_network.h"

namespace hydra::saper {
namespace {

using ::testing::HasSubstr;
using testing::TinyGeometry;

constexpr size_t kHeads = 12;  // of TinyGeometry's three layers

double Sum(const importance::HeadTable& table) {
  double sum = 0.0;
  for (const auto& row : table) sum = std::accumulate(row.begin(), row.end(), sum);
  return sum;
}

SelectorOptions Sharp() {
  return {.budget = 5, .start = ScoreStart::kUnit, .budget_warmup = 0.0, .clip_norm = 1e9};
}

// A hundred steps as the options say, 0 of them done.
Selector Make(const SelectorOptions& options) { return {TinyGeometry(), options, {100, 7}}; }

at::Tensor Loss(const nn::Network& network, const nn::ContextTap& tap) {
  const at::Tensor images = testing::RandomImages(network.geometry, 8, 3);
  const at::Tensor labels = at::arange(8, at::kLong).remainder(5);
  return at::cross_entropy_loss(nn::Forward(network, images, {.tap = tap})[0], labels);
}

at::Tensor StateOf(const Selector& selector, const std::string& name) {
  for (const auto& [key, tensor] : selector.State()) {
    if (key == name) return tensor;
  }
  ADD_FAILURE() << name;
  return {};
}

// The gradient of the scores after the first step, from the moment that Adam keeps of it.
std::vector<double> FirstGradient(const nn::Network& network, const SelectorOptions& options) {
  const c10::AutoGradMode gradients(true);
  Selector selector = Make(options);
  Loss(network, selector.Tap(0)).backward();
  selector.Learn(0);
  const at::Tensor moment = StateOf(selector, "scores.moment1") / 0.1;
  return {moment.data_ptr<float>(), moment.data_ptr<float>() + moment.numel()};
}

// The loss as a function of the scores, by the weights of the definition.
double LossAt(const nn::Network& network, const std::vector<double>& scores, double temperature) {
  const c10::AutoGradMode gradients(false);
  const auto soft = importance::ComputeSoftTopK(scores, {.count = 5.0, .temperature = temperature});
  const at::Tensor weights = at::tensor(soft->weights, at::kFloat).view({3, 4, 1});
  const auto tap = [&](size_t l, at::Tensor context) {
    return context * weights[static_cast<int64_t>(l)];
  };
  return Loss(network, tap).item<double>();
}

TEST(SelectorTest, GradientOfTheScores_EqualsFiniteDifferencesOfTheLoss) {
  const nn::Network network = testing::WideNetwork(TinyGeometry(), 4);
  const SelectorOptions options = Sharp();
  const std::vector<double> gradient = FirstGradient(network, options);
  std::vector<double> scores;
  for (const auto& row : Make(options).Scores())
    scores.insert(scores.end(), row.begin(), row.end());
  double largest = 0.0;
  for (const double value : gradient) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 1e-3);
  for (size_t i = 0; i < kHeads; ++i) {
    constexpr double kStep = 5e-3;  // float32 in the network
    std::vector<double> up = scores, down = scores;
    up[i] += kStep;
    down[i] -= kStep;
    const double difference = (LossAt(network, up, 1.0) - LossAt(network, down, 1.0)) / (2 * kStep);
    EXPECT_NEAR(gradient[i], difference, 0.01 * largest) << "head " << i;
  }
}

TEST(SelectorTest, ClipNorm_BoundsTheScoresGradient) {
  const nn::Network network = testing::WideNetwork(TinyGeometry(), 4);
  SelectorOptions options = Sharp();
  const std::vector<double> free = FirstGradient(network, options);
  options.clip_norm = 1e-3;
  const std::vector<double> clipped = FirstGradient(network, options);
  const auto norm = [](const std::vector<double>& v) {
    return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  };
  ASSERT_GT(norm(free), 0.01);
  EXPECT_NEAR(norm(clipped), 1e-3, 1e-6);
  EXPECT_NEAR(clipped[2] / clipped[3], free[2] / free[3], 1e-3 * std::abs(free[2] / free[3]));
}

TEST(SelectorTest, Weights_FallFromAllHeadsToTheBudgetAndHarden) {
  SelectorOptions options = {.budget = 4, .start = ScoreStart::kUnit, .budget_warmup = 0.3};
  Selector selector = Make(options);
  selector.Tap(0);
  EXPECT_EQ(selector.Weights(), importance::HeadTable(3, std::vector<double>(4, 1.0)));
  selector.Tap(15);
  EXPECT_NEAR(Sum(selector.Weights()), 8.0, 1e-9);
  selector.Tap(30);
  EXPECT_NEAR(Sum(selector.Weights()), 4.0, 1e-9);
  const double soft = selector.Hardness();
  selector.Tap(100);
  EXPECT_NEAR(Sum(selector.Weights()), 4.0, 1e-9);
  EXPECT_GT(selector.Hardness(), 0.9);
  EXPECT_LT(soft, 0.8);
}

TEST(SelectorTest, BudgetOfAllHeads_LearnsNothing) {
  SelectorOptions options = Sharp();
  options.budget = kHeads;
  const nn::Network network = testing::WideNetwork(TinyGeometry(), 4);
  for (const double value : FirstGradient(network, options)) EXPECT_EQ(value, 0.0);
}

TEST(AnnealTest, Shapes_AgreeAtTheEndsAndDifferBetween) {
  Annealing annealing = {.start = 1.0, .end = 0.01, .from = 0.1, .to = 0.9};
  const double middles[] = {0.505, 0.1, 0.505};
  const double quarters[] = {0.01 + 0.99 * (1.0 + std::sqrt(0.5)) / 2.0, std::pow(0.01, 0.25),
                             0.7525};
  for (const AnnealShape shape :
       {AnnealShape::kCosine, AnnealShape::kGeometric, AnnealShape::kLinear}) {
    annealing.shape = shape;
    const auto index = static_cast<size_t>(shape);
    EXPECT_DOUBLE_EQ(Temperature(annealing, 0, 100), 1.0);
    EXPECT_DOUBLE_EQ(Temperature(annealing, 10, 100), 1.0);
    EXPECT_NEAR(Temperature(annealing, 30, 100), quarters[index], 1e-12);
    EXPECT_NEAR(Temperature(annealing, 50, 100), middles[index], 1e-12);
    EXPECT_NEAR(Temperature(annealing, 90, 100), 0.01, 1e-12);
    EXPECT_NEAR(Temperature(annealing, 99, 100), 0.01, 1e-12);
  }
}

TEST(CheckSelectorTest, OptionsThatMakeNoSense_AreRefused) {
  const artifact::Geometry geometry = TinyGeometry();
  EXPECT_TRUE(CheckSelector(Sharp(), geometry).ok());
  EXPECT_THAT(CheckSelector({.budget = 13}, geometry).message(), HasSubstr("want 1..12"));
  EXPECT_FALSE(CheckSelector({.budget = 0}, geometry).ok());
  EXPECT_FALSE(CheckSelector({.budget = 3, .annealing = {.end = 0.0}}, geometry).ok());
  EXPECT_FALSE(CheckSelector({.budget = 3, .annealing = {.from = 0.9, .to = 0.1}}, geometry).ok());
  EXPECT_FALSE(CheckSelector({.budget = 3, .budget_warmup = 1.5}, geometry).ok());
  EXPECT_FALSE(CheckSelector({.budget = 3, .learning_rate = 0.0}, geometry).ok());
}

}  // namespace
}  // namespace hydra::saper
