#include "model/ensemble/cost.h"

#include <vector>

#include "gtest/gtest.h"
#include "model/ensemble/merge.h"
#include "tests/unit/model/random_network.h"

namespace hydra::ensemble {
namespace {

// ViT-B/16 at 224 pixels; parameters are not allocated, only their shapes matter here.
nn::Network VitBase(size_t members, size_t keep) {
  nn::Network network;
  network.geometry = {.layers = 12,
                      .width = 768,
                      .heads = 12,
                      .head_width = 64,
                      .mlp_width = 3072,
                      .classes = 1000,
                      .activation = "gelu",
                      .image_height = 224,
                      .image_width = 224,
                      .channels = 3,
                      .patch_size = 16};
  network.members = members;
  network.plan = nn::FullPlan(network.geometry, members);
  for (artifact::LayerPlan& layer : network.plan) {
    layer.streams.clear();
    layer.heads.clear();
    for (size_t m = 0; m < members; ++m) {
      layer.streams.push_back({m});
      layer.heads.emplace_back();
      for (size_t h = 0; h < keep; ++h) layer.heads.back().push_back(h);
    }
  }
  network.weights.position = at::empty({197, 768});
  network.weights.prefix = at::empty({1, 768});
  return network;
}

// Published and derived figures: ViT-B/16 has 86.6 M parameters and 17.45 GMAC in its layers; Hydra
// ensembles of it.
TEST(CostOfTest, VitBase_HasItsPublishedCost) {
  const Cost single = CostOf(VitBase(1, 12));
  EXPECT_NEAR(static_cast<double>(single.encoder_macs) * 1e-9, 17.45, 0.005);
  EXPECT_NEAR(static_cast<double>(single.parameters) * 1e-6, 86.57, 0.01);
}

TEST(CostOfTest, HydraOfThree_HasItsDerivedRatio) {
  const auto single = static_cast<double>(CostOf(VitBase(1, 12)).encoder_macs);
  const std::vector<std::pair<size_t, double>> ratios = {{3, 2.19}, {4, 2.28}, {6, 2.46},
                                                         {8, 2.64}, {9, 2.73}, {10, 2.82}};
  for (const auto& [keep, ratio] : ratios) {
    EXPECT_NEAR(static_cast<double>(CostOf(VitBase(3, keep)).encoder_macs) / single, ratio, 0.005)
        << keep;
  }
}

artifact::Geometry SmallGeometry() {
  return {.layers = 2,
          .width = 8,
          .heads = 4,
          .head_width = 2,
          .mlp_width = 16,
          .classes = 3,
          .activation = "gelu",
          .layer_norm_epsilon = 1e-12,
          .image_height = 8,
          .image_width = 8,
          .channels = 1,
          .patch_size = 4};
}

TEST(CostOfTest, SingleModel_IsTheSumOfItsProducts) {
  const nn::Network network = train::RandomNetwork(SmallGeometry(), 1, 0);
  // 4 patches of 16 pixels to width 8; 5 tokens; per layer 4*5*8*8 + 2*25*8 + 2*5*8*16; 8*3.
  EXPECT_EQ(CostOf(network).macs, 4u * 16 * 8 + 2 * (1280 + 400 + 1280) + 24);
}

TEST(CostOfTest, ThreeMembersWithHalfTheHeads_PayForHeadsAndThreeStreams) {
  const nn::Network base = train::RandomNetwork(SmallGeometry(), 1, 0);
  std::vector<nn::Network> members;
  for (size_t m = 0; m < 3; ++m) {
    auto pruned = PruneHeads(base, {{m, 3}, {m, 3}});
    ASSERT_TRUE(pruned.ok()) << pruned.status();
    members.push_back(*pruned);
  }
  const auto merged = MergeMembers(members, {});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(CostOf(*merged).macs, 4u * 16 * 8 + 2 * 3 * (640 + 200 + 1280) + 3 * 24);
}

TEST(CostOfTest, Parameters_AreTheStoredOnes) {
  const nn::Network base = testing::WideNetwork(testing::TinyGeometry(), 1);
  const std::vector<nn::Network> members = {PruneHeads(base, {{0}, {1, 2}, {}}).value(),
                                            PruneHeads(base, {{0, 3}, {1}, {2}}).value()};
  uint64_t stored = 0;
  nn::Network plain = base;
  for (const auto& [name, parameter] : nn::NamedParameters(plain))
    stored += static_cast<uint64_t>(parameter->numel());
  EXPECT_EQ(CostOf(base).parameters, stored);
  const nn::Network merged = MergeMembers(members, {}).value();
  // One head of this geometry is 3 * 6 * (24 + 1) + 6 * 24 numbers; padding is not stored.
  const uint64_t head = 3 * 6 * 25 + 6 * 24;
  const uint64_t shared = stored - 3 * (4 * head + 24) - (2 * 24 + 5 * 25);
  EXPECT_EQ(CostOf(merged).parameters, shared + 7 * head + 2 * 3 * 24 + 2 * (2 * 24 + 5 * 25));
}

}  // namespace
}  // namespace hydra::ensemble
