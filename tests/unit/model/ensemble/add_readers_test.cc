// Readers beside a trunk, of images and texts, norms first or last.
#include "model/ensemble/add_readers.h"

#include <c10/core/GradMode.h>

#include <string>

#include "gtest/gtest.h"
#include "model/artifact/tensor_file.h"
#include "model/ensemble/bundle_weights.h"
#include "model/ensemble/cost.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "model/nn/pass/forward.h"
#include "tests/unit/model/nn/encoder_vectors.h"
#include "tests/unit/model/random_network.h"

namespace hydra::ensemble {
namespace {

using testing::RelativeDifference;

constexpr double kExact = 1e-5;  // only the order of sums differs

class AddReadersTest : public ::testing::TestWithParam<const char*> {
 protected:
  nn::Checkpoint base_ = nn::ImportCheckpoint(testing::EncoderCase(GetParam())).value();
  nn::Input input_ = testing::ReadVectors(GetParam(), "vectors.safetensors").input;
};

TEST_P(AddReadersTest, UntunedReaders_EqualTheBase) {
  const at::Tensor base = nn::Forward(base_.network, input_);
  for (const char* mlp : {"own", "tied", "low_rank"}) {
    for (const bool own : {true, false}) {
      for (size_t layers = 1; layers <= base_.network.geometry.layers; ++layers) {
        const auto readers =
            AddReaders(base_.network, {.layers = layers,
                                       .mlp = mlp,
                                       .mlp_rank = std::string(mlp) == "low_rank" ? size_t{2} : 0,
                                       .own_keys_values = own});
        ASSERT_TRUE(readers.ok()) << readers.status();
        const at::Tensor logits = nn::Forward(*readers, input_);
        ASSERT_EQ(logits.size(0), 3);
        EXPECT_LE(RelativeDifference(logits, base.expand_as(logits)), kExact)
            << mlp << " own keys " << own << " layers " << layers;
      }
    }
  }
}

// Readers that keep some heads equal a single model in which the answer's row alone is masked.
TEST_P(AddReadersTest, KeptHeads_EqualMaskedRows) {
  const size_t layers = base_.network.geometry.layers;
  std::vector<KeptHeads> kept = {KeptHeads(layers, {0, 1}), KeptHeads(layers, {1}),
                                 KeptHeads(layers)};
  const auto readers = AddReaders(base_.network, {.layers = layers, .kept = kept});
  ASSERT_TRUE(readers.ok()) << readers.status();
  const at::Tensor logits = nn::Forward(*readers, input_);
  // In a last layer alone the other tokens are the base's, whichever way they are computed.
  const auto last = AddReaders(base_.network, {.layers = 1, .kept = kept});
  ASSERT_TRUE(last.ok()) << last.status();
  for (size_t m = 0; m < kept.size(); ++m) {
    KeptHeads only_last(layers, nn::FullPlan(base_.network.geometry, 1).front().heads.front());
    only_last.back() = kept[m].back();
    const at::Tensor masked =
        nn::Forward(base_.network, input_, {.tap = ZeroMask(base_.network, only_last)})[0];
    const at::Tensor read = nn::Forward(*last, input_)[static_cast<int64_t>(m)];
    EXPECT_LE(RelativeDifference(read, masked), kExact) << m;
  }
  EXPECT_GT(RelativeDifference(logits[0], logits[1]), 1e-3);
}

TEST_P(AddReadersTest, RowAlone_EqualsRowInBatch) {
  const nn::Network readers = AddReaders(base_.network, {.layers = 2}).value();
  const at::Tensor together = nn::Forward(readers, input_);
  for (int64_t b = 0; b < nn::InputSize(input_); ++b) {
    const at::Tensor alone = nn::Forward(readers, nn::SliceInput(input_, b, 1));
    EXPECT_LE(RelativeDifference(alone, together.narrow(1, b, 1)), kExact) << "row " << b;
  }
}

TEST_P(AddReadersTest, WeightsAndManifest_ComeBackTheSame) {
  const size_t layers = base_.network.geometry.layers;
  const std::vector<KeptHeads> kept = {KeptHeads(layers, {0, 1}), KeptHeads(layers, {1}),
                                       KeptHeads(layers)};
  for (const char* mlp : {"own", "tied", "low_rank"}) {
    const nn::Network readers =
        AddReaders(base_.network, {.layers = 2,
                                   .mlp = mlp,
                                   .mlp_rank = std::string(mlp) == "low_rank" ? size_t{2} : 0,
                                   .kept = kept})
            .value();
    artifact::Manifest manifest{.family = base_.family};
    DescribeNetwork(readers, manifest);
    const auto bytes = EncodeWeights(readers);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto file = artifact::TensorFile::Parse(*bytes, "weights.safetensors");
    ASSERT_TRUE(file.ok()) << file.status();
    uint64_t numbers = 0;
    for (const auto& [name, view] : file->tensors()) numbers += view.values;
    EXPECT_EQ(CostOf(readers, 5).parameters, numbers) << mlp;
    const auto back = DecodeWeights(manifest, *file);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(at::equal(nn::Forward(*back, input_), nn::Forward(readers, input_))) << mlp;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, AddReadersTest,
                         ::testing::Values("vit_plain", "deit_teacher", "bert", "roberta",
                                           "distilbert"),
                         [](const auto& family) { return std::string(family.param); });

TEST(AddReadersRefusalTest, PooledOverAllTokens_IsRefusedByName) {
  nn::Network base = testing::WideNetwork(testing::TinyGeometry(), 1);
  base.pooling = "mean";
  const auto readers = AddReaders(base, {});
  ASSERT_FALSE(readers.ok());
  EXPECT_NE(readers.status().message().find("got pooling \"mean\""), std::string::npos);
}

TEST(AddReadersRefusalTest, HeadOutsideThePrunedTrunk_IsRefusedByName) {
  const nn::Network base =
      PruneHeads(testing::WideNetwork(testing::TinyGeometry(), 1), {{0, 1, 2, 3}, {0, 1}, {0, 2}})
          .value();
  const auto readers = AddReaders(base, {.members = 1, .layers = 1, .kept = {{{}, {}, {0, 1}}}});
  ASSERT_FALSE(readers.ok());
  EXPECT_NE(readers.status().message().find("readers.2: got head 1"), std::string::npos);
  EXPECT_TRUE(AddReaders(base, {.members = 1, .layers = 1, .kept = {{{}, {}, {2}}}}).ok());
}

}  // namespace
}  // namespace hydra::ensemble
