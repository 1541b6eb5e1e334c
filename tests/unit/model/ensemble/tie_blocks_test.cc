#include "model/ensemble/tie_blocks.h"

#include <ATen/ops/cross_entropy_loss.h>
#include <c10/core/GradMode.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/ensemble/prune.h"
#include "model/nn/pass/forward.h"
#include "tests/unit/model/random_network.h"

namespace hydra::ensemble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LargestDifference;
using testing::RandomImages;
using testing::TinyGeometry;
using testing::WideNetwork;

void Backward(nn::Network& network, const at::Tensor& images) {
  const c10::AutoGradMode gradients(true);
  for (const auto& [name, parameter] : nn::NamedParameters(network)) parameter->requires_grad_();
  const at::Tensor labels = at::arange(images.size(0), at::kLong).remainder(5);
  at::cross_entropy_loss(nn::Forward(network, images)[0], labels).backward();
}

TEST(TieBlocksTest, SharedParameter_GetsTheSumOfItsLayersGradients) {
  nn::Network tied = TieBlocks(WideNetwork(TinyGeometry(), 1), {1, 2}, TieMode::kAverage).value();
  nn::Network separate = nn::Clone(tied);
  const at::Tensor images = RandomImages(tied.geometry, 6, 2);
  Backward(tied, images);
  Backward(separate, images);
  const auto& one = separate.weights.layers;
  for (const auto parameter : {&nn::LayerWeights::qkv_weight, &nn::LayerWeights::fc2_bias,
                               &nn::LayerWeights::norm1_weight}) {
    const at::Tensor sum = (one[1].*parameter).grad() + (one[2].*parameter).grad();
    const at::Tensor shared = (tied.weights.layers[1].*parameter).grad();
    EXPECT_LE(LargestDifference(shared, sum), 1e-5 * (1.0 + sum.abs().max().item<double>()));
    EXPECT_GT(LargestDifference(shared, (one[1].*parameter).grad()), 1e-4);
  }
  EXPECT_TRUE(tied.weights.layers[0].qkv_weight.grad().defined());
}

TEST(TieBlocksTest, Mode_DecidesTheSharedValues) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  const auto first = TieBlocks(base, {3}, TieMode::kFirst);
  const auto average = TieBlocks(base, {3}, TieMode::kAverage);
  ASSERT_TRUE(first.ok() && average.ok());
  const auto& layers = base.weights.layers;
  EXPECT_TRUE(first->weights.layers[2].fc1_weight.equal(layers[0].fc1_weight));
  const at::Tensor mean =
      (layers[0].fc1_weight + layers[1].fc1_weight + layers[2].fc1_weight) / 3.0;
  EXPECT_LE(LargestDifference(average->weights.layers[1].fc1_weight, mean), 1e-6);
  EXPECT_FALSE(first->weights.layers[0].fc1_weight.is_alias_of(layers[0].fc1_weight));
}

TEST(TieBlocksTest, DistinctParameters_CountABlockOnce) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  const uint64_t all = DistinctParameters(base);
  uint64_t layer = 0;
  nn::Network view = base;
  for (const auto& [name, parameter] : nn::NamedParameters(view)) {
    if (name.rfind("layers.0.", 0) == 0) layer += static_cast<uint64_t>(parameter->numel());
  }
  EXPECT_EQ(DistinctParameters(TieBlocks(base, {1, 2}, TieMode::kFirst).value()), all - layer);
  EXPECT_EQ(DistinctParameters(TieBlocks(base, {3}, TieMode::kAverage).value()), all - 2 * layer);
  EXPECT_EQ(DistinctParameters(TieBlocks(base, {1, 1, 1}, TieMode::kAverage).value()), all);
}

TEST(TieBlocksTest, LengthsThatDoNotFit_AreRefused) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  EXPECT_THAT(TieBlocks(base, {1, 1}, TieMode::kFirst).status().message(),
              HasSubstr("add up to 3"));
  EXPECT_FALSE(TieBlocks(base, {4}, TieMode::kFirst).ok());
  EXPECT_FALSE(TieBlocks(base, {0, 3}, TieMode::kFirst).ok());
  EXPECT_FALSE(TieBlocks(base, {}, TieMode::kFirst).ok());
  const nn::Network pruned = PruneHeads(base, {{0}, {1, 2}, {3}}).value();
  EXPECT_FALSE(TieBlocks(pruned, {1, 2}, TieMode::kFirst).ok());
  EXPECT_TRUE(TieBlocks(pruned, {1, 1, 1}, TieMode::kFirst).ok());
  nn::Network readers = base;
  readers.reader.emplace();
  EXPECT_FALSE(TieBlocks(readers, {3}, TieMode::kFirst).ok());
  EXPECT_THAT(EvenBlocks(12, 5).value(), ElementsAre(3, 3, 2, 2, 2));
  EXPECT_FALSE(EvenBlocks(3, 4).ok());
  EXPECT_FALSE(EvenBlocks(3, 0).ok());
}

}  // namespace
}  // namespace hydra::ensemble
