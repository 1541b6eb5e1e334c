#include "model/importance/taylor.h"

#include <ATen/ops/cross_entropy_loss.h>

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/nn/pass/forward.h"
#include "tests/unit/model/random_network.h"

namespace hydra::importance {
namespace {

using testing::RandomImages;
using testing::TinyGeometry;
using testing::WideNetwork;

at::Tensor Labels(int64_t count) { return at::arange(count, at::kLong).remainder(5); }

// The gate of one head's context, in all tokens (-1) or in one.
struct Gate {
  size_t layer;
  int64_t head;
  int64_t token;
};

// Loss of one image when the gate's context is scaled by 1 + epsilon.
double GatedLoss(const nn::Network& network, const at::Tensor& image, const at::Tensor& label,
                 Gate gate, double epsilon) {
  nn::ForwardOptions options;
  options.tap = [&](size_t l, at::Tensor context) {
    if (l != gate.layer) return context;
    at::Tensor scaled = context.clone();
    at::Tensor target = scaled.select(2, gate.head);  // [1, T, d_h] of one image
    if (gate.token >= 0) target = target.select(1, gate.token);
    target.mul_(1.0 + epsilon);
    return scaled;
  };
  const at::Tensor logits = nn::Forward(network, image, options)[0].to(at::kDouble);
  return at::cross_entropy_loss(logits, label, {}, at::Reduction::Sum).item<double>();
}

double GateGradient(const nn::Network& network, const at::Tensor& image, const at::Tensor& label,
                    Gate gate) {
  const double epsilon = 1e-2;
  return (GatedLoss(network, image, label, gate, epsilon) -
          GatedLoss(network, image, label, gate, -epsilon)) /
         (2.0 * epsilon);
}

TEST(TaylorImportanceTest, EachEstimator_EqualsFiniteDifferencesOfGates) {
  const nn::Network network = WideNetwork(TinyGeometry(), 4);
  const int64_t count = 3, tokens = 10;
  const at::Tensor images = RandomImages(network.geometry, count, 8), labels = Labels(count);
  for (const size_t layer : {0, 2}) {
    const int64_t head = 1;
    double per_token = 0, per_example = 0, squared = 0;
    for (int64_t i = 0; i < count; ++i) {
      const at::Tensor image = images.narrow(0, i, 1), label = labels.narrow(0, i, 1);
      const double gate = GateGradient(network, image, label, {layer, head, -1});
      per_example += std::abs(gate) / count;
      squared += gate * gate / count;
      for (int64_t t = 0; t < tokens; ++t) {
        per_token += std::abs(GateGradient(network, image, label, {layer, head, t})) / count;
      }
    }
    if (layer == 0) per_token /= tokens;
    const auto value = [&](TaylorEstimator estimator) {
      return TaylorImportance(network, images, labels, {.estimator = estimator, .batch = 2})
          .value()[layer][head];
    };
    EXPECT_NEAR(value(TaylorEstimator::kPerToken), per_token, 0.01 * per_token);
    EXPECT_NEAR(value(TaylorEstimator::kPerExample), per_example, 0.01 * per_example);
    EXPECT_NEAR(value(TaylorEstimator::kGateSquared), squared, 0.02 * squared);
  }
}

TEST(TaylorImportanceTest, BatchSize_DoesNotMatter) {
  const nn::Network network = WideNetwork(TinyGeometry(), 4);
  const at::Tensor images = RandomImages(network.geometry, 7, 8);
  const auto one = TaylorImportance(network, images, Labels(7), {.batch = 1});
  const auto all = TaylorImportance(network, images, Labels(7), {.batch = 100});
  ASSERT_TRUE(one.ok() && all.ok()) << one.status() << all.status();
  for (size_t l = 0; l < one->size(); ++l) {
    for (size_t h = 0; h < (*one)[l].size(); ++h)
      EXPECT_NEAR((*one)[l][h], (*all)[l][h], 1e-4 * (*all)[l][h]);
  }
}

TEST(TaylorImportanceTest, HeadWithoutOutput_HasNoImportance) {
  nn::Network network = WideNetwork(TinyGeometry(), 4);
  network.weights.layers[1].out_weight.narrow(2, 6, 6).zero_();  // columns of head 1
  const auto table = TaylorImportance(network, RandomImages(network.geometry, 4, 8), Labels(4), {});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ((*table)[1][1], 0.0);
  EXPECT_GT((*table)[1][0], 0.0);
}

TEST(TaylorImportanceTest, EmptyDataOrUnknownEstimator_IsRefused) {
  const nn::Network network = WideNetwork(TinyGeometry(), 4);
  EXPECT_FALSE(TaylorImportance(network, RandomImages(network.geometry, 0, 1), Labels(0), {}).ok());
  EXPECT_THAT(ParseTaylorEstimator("best").status().message(),
              ::testing::HasSubstr("want per_token"));
  EXPECT_EQ(ParseTaylorEstimator("gate_squared").value(), TaylorEstimator::kGateSquared);
}

}  // namespace
}  // namespace hydra::importance
