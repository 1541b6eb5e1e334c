// Which tokens each pooling reads, against the tokens of the last layer; texts of mixed lengths.
#include <ATen/ATen.h>

#include "gtest/gtest.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "model/nn/pass/forward.h"
#include "tests/unit/model/nn/encoder_vectors.h"

namespace hydra::nn {
namespace {

using testing::EncoderCase;
using testing::RelativeDifference;

constexpr double kExact = 1e-6;

Network TextEncoder() {
  return ImportCheckpoint(EncoderCase("bert_without_pooler")).value().network;
}

TokenBatch Texts() {
  return std::get<TokenBatch>(
      testing::ReadVectors("bert_without_pooler", "vectors.safetensors").input);
}

struct Pooled {
  at::Tensor features;  // [B, I]
  at::Tensor last;      // [R, D]: output of the last layer
};

Pooled Compute(const Network& network, const TokenBatch& texts) {
  Pooled pooled;
  ForwardOptions options;
  options.observe = [&](size_t layer, const at::Tensor& x) {
    if (layer == network.plan.size()) pooled.last = x[0];
  };
  pooled.features = Forward(network, texts, options)[0];
  return pooled;
}

TEST(PoolingTest, Mean_IsTheMeanOfAnInputsTokens) {
  Network network = TextEncoder();
  network.pooling = "mean";
  const TokenBatch texts = Texts();
  const Pooled pooled = Compute(network, texts);
  int64_t row = 0;
  for (size_t b = 0; b < texts.lengths.size(); ++b) {
    const at::Tensor want = pooled.last.narrow(0, row, texts.lengths[b]).mean(0);
    EXPECT_LE(RelativeDifference(pooled.features[static_cast<int64_t>(b)], want), kExact) << b;
    row += texts.lengths[b];
  }
}

TEST(PoolingTest, ClsAndLast_AreAnInputsFirstAndLastToken) {
  Network network = TextEncoder();
  const TokenBatch texts = Texts();
  for (const char* pooling : {"cls", "last"}) {
    network.pooling = pooling;
    const Pooled pooled = Compute(network, texts);
    int64_t row = 0;
    for (size_t b = 0; b < texts.lengths.size(); ++b) {
      const bool last = network.pooling == "last";
      const at::Tensor want = pooled.last[row + (last ? texts.lengths[b] - 1 : 0)];
      EXPECT_TRUE(at::equal(pooled.features[static_cast<int64_t>(b)], want)) << pooling << b;
      row += texts.lengths[b];
    }
  }
}

TEST(PoolingTest, MeanOfAText_DoesNotDependOnTheOthers) {
  Network network = TextEncoder();
  network.pooling = "mean";
  const Input texts = Texts();
  const at::Tensor together = Forward(network, texts)[0];
  for (int64_t b = 0; b < InputSize(texts); ++b) {
    const at::Tensor alone = Forward(network, SliceInput(texts, b, 1))[0];
    EXPECT_LE(RelativeDifference(alone, together.narrow(0, b, 1)), 1e-5) << b;
  }
}

TEST(PoolingTest, IdOutsideTheVocabularyOrTextTooLong_Throws) {
  const Network network = TextEncoder();
  const auto one = [](int64_t id, int64_t length) {
    return TokenBatch{.ids = at::full({length}, id, at::kLong), .lengths = {length}};
  };
  const auto vocabulary = static_cast<int64_t>(network.geometry.vocabulary);
  const auto positions = static_cast<int64_t>(network.geometry.max_positions);
  EXPECT_NO_THROW(Forward(network, one(vocabulary - 1, positions)));
  EXPECT_ANY_THROW(Forward(network, one(vocabulary, 1)));
  EXPECT_ANY_THROW(Forward(network, one(-1, 1)));
  EXPECT_ANY_THROW(Forward(network, one(1, positions + 1)));
}

}  // namespace
}  // namespace hydra::nn
