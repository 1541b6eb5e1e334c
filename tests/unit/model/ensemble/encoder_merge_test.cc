// Pruning, merging and storing ensembles of every kind of encoder, texts of mixed lengths included.
#include <c10/core/GradMode.h>

#include <string>

#include "gtest/gtest.h"
#include "model/artifact/codec/manifest_codec.h"
#include "model/artifact/tensor_file.h"
#include "model/ensemble/bundle_weights.h"
#include "model/ensemble/merge.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "tests/unit/model/nn/encoder_vectors.h"

namespace hydra::ensemble {
namespace {

using testing::RelativeDifference;

constexpr double kExact = 1e-5;  // only the order of sums differs

// Heads of two layers or of the first two of three: unequal, none, all.
std::vector<KeptHeads> Kept(const nn::Network& base) {
  std::vector<KeptHeads> members = {{{0, 2}, {1}}, {{1}, {}}, {{}, {0, 1, 2}}};
  for (KeptHeads& kept : members) kept.resize(base.geometry.layers, {0});
  return members;
}

std::vector<nn::Network> PrunedMembers(const nn::Network& base) {
  std::vector<nn::Network> members;
  for (const KeptHeads& kept : Kept(base)) members.push_back(PruneHeads(base, kept).value());
  return members;
}

class EncoderMergeTest : public ::testing::TestWithParam<const char*> {
 protected:
  nn::Checkpoint base_ = nn::ImportCheckpoint(testing::EncoderCase(GetParam())).value();
  nn::Input input_ = testing::ReadVectors(GetParam(), "vectors.safetensors").input;
};

TEST_P(EncoderMergeTest, Sliced_EqualsZeroMasked) {
  for (const KeptHeads& kept : Kept(base_.network)) {
    const auto pruned = PruneHeads(base_.network, kept);
    ASSERT_TRUE(pruned.ok()) << pruned.status();
    const at::Tensor masked =
        nn::Forward(base_.network, input_, {.tap = ZeroMask(base_.network, kept)});
    EXPECT_LE(RelativeDifference(nn::Forward(*pruned, input_), masked), kExact);
  }
}

TEST_P(EncoderMergeTest, Fused_EqualsSeparate) {
  const std::vector<nn::Network> members = PrunedMembers(base_.network);
  for (const MergePart part : {MergePart::kAverage, MergePart::kPerMember}) {
    const auto merged = MergeMembers(members, {.mlp = part, .norms = part, .classifier = part});
    ASSERT_TRUE(merged.ok()) << merged.status();
    const at::Tensor together = nn::Forward(*merged, input_);
    ASSERT_EQ(together.size(0), 3);
    for (size_t m = 0; m < members.size(); ++m) {
      const at::Tensor alone = nn::Forward(members[m], input_)[0];
      EXPECT_LE(RelativeDifference(together[static_cast<int64_t>(m)], alone), kExact)
          << "member " << m;
    }
  }
}

TEST_P(EncoderMergeTest, LastLayerForTheAnswerOnly_EqualsAllTokens) {
  const nn::Network merged = MergeMembers(PrunedMembers(base_.network), {}).value();
  const at::NoGradGuard evaluation;
  const at::Tensor plain = nn::Forward(merged, input_, {.plain = true});
  EXPECT_LE(RelativeDifference(nn::Forward(merged, input_), plain), kExact);
}

// Equal members that are to be tuned apart: a shared trunk, then streams whose first layer projects
// once.
TEST_P(EncoderMergeTest, LateSplitOfEqualMembers_EqualsTheBase) {
  const std::vector<nn::Network> members(3, base_.network);
  const size_t last = base_.network.geometry.layers - 1;
  const auto merged = MergeMembers(members, {.split_from = last});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(BranchLayer(*merged), last);
  EXPECT_TRUE(merged->plan[last].shared_qkv);
  EXPECT_EQ(merged->plan[last].streams.size(), 3u);
  const at::Tensor base = nn::Forward(base_.network, input_);
  EXPECT_LE(RelativeDifference(nn::Forward(*merged, input_), base.expand({3, -1, -1})), kExact);
  const at::NoGradGuard evaluation;
  EXPECT_LE(RelativeDifference(nn::Forward(*merged, input_), base.expand({3, -1, -1})), kExact);
}

TEST_P(EncoderMergeTest, RowAlone_EqualsRowInBatch) {
  const nn::Network merged = MergeMembers(PrunedMembers(base_.network), {}).value();
  const at::Tensor together = nn::Forward(merged, input_);
  for (int64_t b = 0; b < nn::InputSize(input_); ++b) {
    const at::Tensor alone = nn::Forward(merged, nn::SliceInput(input_, b, 1));
    EXPECT_LE(RelativeDifference(alone, together.narrow(1, b, 1)), kExact) << "row " << b;
  }
}

TEST_P(EncoderMergeTest, WeightsAndManifest_ComeBackTheSame) {
  const nn::Network merged = MergeMembers(PrunedMembers(base_.network), {}).value();
  artifact::Manifest manifest;
  manifest.name = "tiny";
  manifest.family = base_.family;
  manifest.provenance = {.base_digest = base_.digest,
                         .recipe = "test",
                         .tool_version = "test",
                         .created = "2026-01-01T00:00:00Z"};
  DescribeNetwork(merged, manifest);
  const auto text = artifact::codec::EncodeManifest(manifest);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto parsed = artifact::codec::ParseManifest(*text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->geometry, manifest.geometry);
  auto file = artifact::TensorFile::Parse(EncodeWeights(merged).value(), "weights.safetensors");
  ASSERT_TRUE(file.ok()) << file.status();
  const auto decoded = DecodeWeights(*parsed, *file);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_TRUE(at::equal(nn::Forward(*decoded, input_), nn::Forward(merged, input_)));
}

INSTANTIATE_TEST_SUITE_P(Families, EncoderMergeTest,
                         ::testing::Values("vit_plain", "deit_teacher", "dinov2", "dinov2_swiglu",
                                           "dinov2_registers", "bert", "bert_gelu_new", "roberta",
                                           "distilbert"),
                         [](const auto& parameters) { return std::string(parameters.param); });

}  // namespace
}  // namespace hydra::ensemble
