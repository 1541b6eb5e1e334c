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
  network.weights.layers.resize(network.plan.size());
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
  EXPECT_EQ(CostOf(network).plain_macs, 4u * 16 * 8 + 2 * (1280 + 400 + 1280) + 24);
  // The last layer for CLS: keys and values 2*5*8*8, query and output 2*8*8, attention 2*5*8, MLP
  // 2*8*16.
  EXPECT_EQ(CostOf(network).macs, 4u * 16 * 8 + (1280 + 400 + 1280) + (640 + 128 + 80 + 256) + 24);
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
  // In the first layer the four heads that any member keeps are computed once, not six.
  const uint64_t saved = 2 * 2 * (3 * 5 * 8 + 2 * 25);
  EXPECT_EQ(CostOf(*merged).plain_macs, 4u * 16 * 8 + 2 * 3 * (640 + 200 + 1280) + 3 * 24 - saved);
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
  // Both keep head 0 in the first layer, whose q/k/v are stored once.
  EXPECT_EQ(CostOf(merged).parameters,
            shared - 3 * 6 * 25 + 7 * head + 2 * 3 * 24 + 2 * (2 * 24 + 5 * 25));
}

// DINOv2 at 224 pixels with `heads` of its heads left, as many in each layer as possible.
nn::Network PrunedDino(size_t width, size_t of, size_t heads) {
  nn::Network network;
  network.geometry = {.layers = 12,
                      .width = width,
                      .heads = of,
                      .head_width = 64,
                      .mlp_width = 4 * width,
                      .activation = "gelu",
                      .image_height = 224,
                      .image_width = 224,
                      .channels = 3,
                      .patch_size = 14};
  network.plan = nn::FullPlan(network.geometry, 1);
  for (size_t l = 0; l < 12; ++l)
    network.plan[l].heads.front().resize(heads / 12 + (l < heads % 12));
  network.weights.layers.resize(12);
  network.weights.position = at::empty({257, static_cast<int64_t>(width)});
  network.weights.prefix = at::empty({1, static_cast<int64_t>(width)});
  return network;
}

// Published: SAPER (arXiv 2608.00264), GFLOPs and millions of parameters against heads left; FLOPs
// are 2 x MAC.  Parameters are compared by their difference to the whole model: the published count
// has the position embeddings of 518 pixels.
struct PublishedCost {
  size_t width, of, heads;
  double gflops, parameters_removed;
};

class SaperCostTest : public ::testing::TestWithParam<PublishedCost> {};

TEST_P(SaperCostTest, PrunedDino_HasItsPublishedCost) {
  const PublishedCost& want = GetParam();
  const Cost cost = CostOf(PrunedDino(want.width, want.of, want.heads));
  const Cost whole = CostOf(PrunedDino(want.width, want.of, 12 * want.of));
  EXPECT_NEAR(2e-9 * static_cast<double>(cost.plain_macs), want.gflops, 0.01);
  EXPECT_NEAR(1e-6 * static_cast<double>(whole.parameters - cost.parameters),
              want.parameters_removed, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Published, SaperCostTest,
                         ::testing::Values(PublishedCost{384, 6, 72, 12.25, 0.0},
                                           PublishedCost{384, 6, 48, 10.63, 22.06 - 19.69},
                                           PublishedCost{384, 6, 24, 9.01, 22.06 - 17.33},
                                           PublishedCost{384, 6, 6, 7.80, 22.06 - 15.56},
                                           PublishedCost{768, 12, 144, 46.33, 0.0},
                                           PublishedCost{768, 12, 48, 35.00, 86.58 - 67.69},
                                           PublishedCost{768, 12, 24, 32.17, 86.58 - 62.96},
                                           PublishedCost{768, 12, 6, 30.05, 86.58 - 59.42}));

// Design, section 4: readers in every layer of ViT-B against the plain model.
TEST(CostOfTest, ReadersOfVitBase_HaveTheirDerivedRatio) {
  const double plain = static_cast<double>(CostOf(VitBase(1, 12)).plain_macs);
  for (const auto& [members, ratio] : {std::pair<size_t, double>{3, 0.946}, {8, 0.97}}) {
    nn::Network network = VitBase(members, 12);
    network.reader = artifact::ReaderPlan{.mlp = "own", .own_keys_values = true};
    const std::vector<size_t> all = nn::FullPlan(network.geometry, 1).front().heads.front();
    network.reader->trunk_heads.assign(12, all);
    network.weights.readers.resize(12);
    EXPECT_NEAR(static_cast<double>(CostOf(network).macs) / plain, ratio, 0.006) << members;
  }
}

}  // namespace
}  // namespace hydra::ensemble
