#include "model/builder/interpreting/head_features.h"

#include <algorithm>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/ensemble/prune.h"
#include "model/nn/pass/forward.h"
#include "model/nn/tensor_convert.h"
#include "tests/unit/model/random_network.h"

namespace hydra::builder {
namespace {

using ::testing::HasSubstr;
using testing::TinyGeometry;
using testing::WideNetwork;

constexpr size_t kRows = 20;  // more than a batch

train::ExampleSet Images() {
  train::ExampleSet set{.mean = {0.4}, .stddev = {0.2}};
  base::Rng rng(3);
  set.pixels = at::empty({static_cast<int64_t>(kRows), 1, 12, 12}, at::kByte);
  for (int64_t i = 0; i < set.pixels.numel(); ++i) {
    set.pixels.data_ptr<uint8_t>()[i] = static_cast<uint8_t>(rng.UniformBelow(256));
  }
  return set;
}

// Reads texts of up to 12 tokens from a vocabulary of 30.
nn::Network TextBase() {
  nn::Network network = WideNetwork(TinyGeometry(), 5);
  artifact::Geometry& geometry = network.geometry;
  geometry.image_height = geometry.image_width = geometry.channels = geometry.patch_size = 0;
  geometry.vocabulary = 30;
  geometry.max_positions = 12;
  nn::EncoderWeights& weights = network.weights;
  weights.patch_weight = weights.patch_bias = weights.prefix = at::Tensor();
  at::manual_seed(3);
  weights.word = at::randn({30, 24});
  weights.position = at::randn({12, 24});
  return network;
}

// The largest of the first row's weights on tokens [first, end) of each head, for one input.
std::vector<double> LargestOfFirstRow(const nn::Network& base, const nn::Input& input, size_t first,
                                      size_t after) {
  std::vector<double> largest;
  nn::ForwardOptions options;
  options.observe_attention = [&](size_t, const nn::SequenceGroup& group, const at::Tensor& seen) {
    const std::vector<float> values = nn::ToFloatVector(seen[0][0]);  // [K, T, T]
    const auto tokens = static_cast<size_t>(group.tokens);
    for (size_t k = 0; k < values.size() / (tokens * tokens); ++k) {
      const auto row = values.begin() + static_cast<std::ptrdiff_t>(k * tokens * tokens);
      largest.push_back(first + after < tokens
                            ? *std::max_element(row + static_cast<std::ptrdiff_t>(first),
                                                row + static_cast<std::ptrdiff_t>(tokens - after))
                            : 0.0);
    }
  };
  nn::Forward(base, input, options);
  return largest;
}

TEST(HeadFeaturesTest, Images_GiveTheLargestWeightOnAPatchWithoutTheClassToken) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  const train::ExampleSet images = Images();
  std::vector<size_t> rows, told;
  for (size_t i = 0; i < kRows; ++i) rows.push_back(kRows - 1 - i);
  const auto features =
      HeadFeatures(base, images, rows, [&](size_t done) { told.push_back(done); });
  ASSERT_TRUE(features.ok()) << features.status();
  ASSERT_EQ(features->size(), kRows * 12);
  EXPECT_EQ(told, (std::vector<size_t>{16, 20}));
  for (size_t i = 0; i < kRows; ++i) {
    const auto want =
        LargestOfFirstRow(base, train::Gather(images, std::vector<size_t>{rows[i]}), 1, 0);
    for (size_t c = 0; c < 12; ++c) EXPECT_NEAR((*features)[i * 12 + c], want[c], 1e-6);
  }
}

TEST(HeadFeaturesTest, TextsOfManyLengths_LeaveFirstAndLastTokenOut) {
  const nn::Network base = TextBase();
  const train::ExampleSet texts{
      .tokens = {{2, 4, 5, 6, 3}, {2, 9, 3}, {2, 3}, {2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 3}}};
  const std::vector<size_t> rows = {0, 1, 2, 3};
  const auto features = HeadFeatures(base, texts, rows, [](size_t) {});
  ASSERT_TRUE(features.ok()) << features.status();
  for (const size_t row : rows) {
    const auto want = LargestOfFirstRow(base, train::Gather(texts, std::vector<size_t>{row}), 1, 1);
    for (size_t c = 0; c < 12; ++c) {
      EXPECT_NEAR((*features)[row * 12 + c], want[c], 1e-6) << "text " << row;
    }
  }
}

TEST(HeadFeaturesTest, PrunedBase_IsRefused) {
  const nn::Network pruned =
      ensemble::PruneHeads(WideNetwork(TinyGeometry(), 1), {{0}, {1}, {2}}).value();
  EXPECT_THAT(
      HeadFeatures(pruned, Images(), std::vector<size_t>{0}, [](size_t) {}).status().message(),
      HasSubstr("pruned already"));
}

}  // namespace
}  // namespace hydra::builder
