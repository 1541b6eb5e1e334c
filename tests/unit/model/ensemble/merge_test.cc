#include "model/ensemble/merge.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/artifact/tensor_file.h"
#include "model/ensemble/bundle_weights.h"
#include "tests/unit/model/random_network.h"

namespace hydra::ensemble {
namespace {

using ::testing::HasSubstr;
using testing::LargestDifference;
using testing::RandomImages;
using testing::TinyGeometry;
using testing::WideNetwork;

constexpr double kExact = 1e-5;  // relative: only the order of sums differs

// Equal, unequal and empty layers.
const std::vector<KeptHeads> kMembers = {
    {{0, 2}, {1, 3}, {0, 1}}, {{1, 2, 3}, {}, {2}}, {{3}, {0, 1, 2, 3}, {}}};

std::vector<nn::Network> PrunedMembers(const nn::Network& base) {
  std::vector<nn::Network> members;
  for (const KeptHeads& kept : kMembers) members.push_back(PruneHeads(base, kept).value());
  return members;
}

void ExpectMembersEqual(const nn::Network& merged, const std::vector<nn::Network>& members) {
  const at::Tensor images = RandomImages(merged.geometry, 6, 3);
  const at::Tensor together = nn::Forward(merged, images);
  ASSERT_EQ(together.size(0), static_cast<int64_t>(members.size()));
  for (size_t m = 0; m < members.size(); ++m) {
    const at::Tensor alone = nn::Forward(members[m], images)[0];
    const double scale = alone.abs().max().item<double>();
    EXPECT_LE(LargestDifference(together[static_cast<int64_t>(m)], alone), kExact * scale)
        << "member " << m;
  }
}

TEST(PruneHeadsTest, Sliced_EqualsZeroMasked) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  const at::Tensor images = RandomImages(base.geometry, 4, 2);
  for (const KeptHeads& kept : kMembers) {
    const auto pruned = PruneHeads(base, kept);
    ASSERT_TRUE(pruned.ok()) << pruned.status();
    const at::Tensor masked = nn::Forward(base, images, {.tap = ZeroMask(base, kept)});
    const double scale = masked.abs().max().item<double>();
    EXPECT_LE(LargestDifference(nn::Forward(*pruned, images), masked), kExact * scale);
  }
}

TEST(PruneHeadsTest, HeadsOutOfRangeOrOrder_AreRefused) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  EXPECT_THAT(PruneHeads(base, {{0}, {4}, {0}}).status().message(),
              HasSubstr("layer 1: got head 4"));
  EXPECT_FALSE(PruneHeads(base, {{0}, {1, 1}, {0}}).ok());
  EXPECT_FALSE(PruneHeads(base, {{0}, {1}}).ok());
  const auto pruned = PruneHeads(base, {{0}, {1}, {2}});
  ASSERT_TRUE(pruned.ok());
  EXPECT_THAT(PruneHeads(*pruned, {{0}, {0}, {0}}).status().message(), HasSubstr("already pruned"));
}

TEST(MergeMembersTest, UntunedMembers_FusedEqualsSeparate) {
  const std::vector<nn::Network> members = PrunedMembers(WideNetwork(TinyGeometry(), 1));
  for (const MergePart part : {MergePart::kAverage, MergePart::kPerMember}) {
    const auto merged = MergeMembers(members, {.mlp = part, .norms = part, .classifier = part});
    ASSERT_TRUE(merged.ok()) << merged.status();
    ExpectMembersEqual(*merged, members);
  }
}

TEST(MergeMembersTest, LayerInWhichNoMemberKeepsAHead_FusedEqualsSeparate) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  const std::vector<nn::Network> members = {PruneHeads(base, {{0, 3}, {}, {1}}).value(),
                                            PruneHeads(base, {{1}, {}, {}}).value()};
  const auto merged = MergeMembers(members, {});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(nn::PaddedHeads(merged->plan[1]), 0u);
  ExpectMembersEqual(*merged, members);
}

TEST(MergeMembersTest, DifferentMembersWithOwnParts_FusedEqualsSeparate) {
  std::vector<nn::Network> members;
  for (uint64_t m = 0; m < 3; ++m) {
    nn::Network base = WideNetwork(TinyGeometry(), 1);
    const nn::Network other = WideNetwork(TinyGeometry(), 10 + m);
    base.weights.layers = other.weights.layers;
    base.weights.classifier_weight = other.weights.classifier_weight;
    members.push_back(PruneHeads(base, kMembers[m]).value());
  }
  const auto merged =
      MergeMembers(members, {.mlp = MergePart::kPerMember, .norms = MergePart::kPerMember});
  ASSERT_TRUE(merged.ok()) << merged.status();
  ExpectMembersEqual(*merged, members);
}

TEST(MergeMembersTest, AveragedMlp_IsTheMeanOfTheMembers) {
  const std::vector<nn::Network> members = {WideNetwork(TinyGeometry(), 1),
                                            WideNetwork(TinyGeometry(), 2)};
  const auto merged = MergeMembers(members, {});
  ASSERT_TRUE(merged.ok()) << merged.status();
  const at::Tensor mean =
      (members[0].weights.layers[1].fc1_weight + members[1].weights.layers[1].fc1_weight) / 2;
  EXPECT_LE(LargestDifference(merged->weights.layers[1].fc1_weight, mean), 1e-6);
}

TEST(MergeMembersTest, MembersThatBranchLate_ShareATrunk) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  const KeptHeads all = {{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}};
  KeptHeads late = all, later = all;
  late[1] = {0, 1};
  later[2] = {3};
  const std::vector<nn::Network> members = {PruneHeads(base, all).value(),
                                            PruneHeads(base, late).value(),
                                            PruneHeads(base, later).value()};
  const auto merged = MergeMembers(members, {});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(merged->plan[0].streams.size(), 1u);
  EXPECT_THAT(merged->plan[1].streams,
              ::testing::ElementsAre(std::vector<size_t>{0, 2}, std::vector<size_t>{1}));
  EXPECT_EQ(merged->plan[2].streams.size(), 3u);
  EXPECT_EQ(BranchLayer(*merged), 1u);
  EXPECT_EQ(KeptByMember(*merged)[1][1], late[1]);
  ExpectMembersEqual(*merged, members);
}

TEST(MergeMembersTest, RowAlone_EqualsRowInBatch) {
  const auto merged = MergeMembers(PrunedMembers(WideNetwork(TinyGeometry(), 1)), {});
  ASSERT_TRUE(merged.ok());
  const at::Tensor images = RandomImages(merged->geometry, 7, 9);
  const at::Tensor together = nn::Forward(*merged, images);
  for (int64_t b = 0; b < 7; ++b) {
    const at::Tensor alone = nn::Forward(*merged, images.narrow(0, b, 1));
    EXPECT_LE(LargestDifference(alone.select(1, 0), together.select(1, b)),
              kExact * together.abs().max().item<double>());
  }
}

TEST(MergeMembersTest, OtherGeometry_IsRefused) {
  artifact::Geometry wider = TinyGeometry();
  wider.mlp_width = 21;
  const auto merged = MergeMembers({WideNetwork(TinyGeometry(), 1), WideNetwork(wider, 1)}, {});
  EXPECT_THAT(merged.status().message(), HasSubstr("member 1"));
  EXPECT_FALSE(MergeMembers({}, {}).ok());
}

TEST(BundleWeightsTest, EncodeThenDecode_GivesSameLogits) {
  const std::vector<nn::Network> members = PrunedMembers(WideNetwork(TinyGeometry(), 1));
  for (const MergePart part : {MergePart::kAverage, MergePart::kPerMember}) {
    const nn::Network merged =
        MergeMembers(members, {.mlp = part, .norms = part, .classifier = part}).value();
    artifact::Manifest manifest;
    manifest.family = "vit";
    DescribeNetwork(merged, manifest);
    auto file = artifact::TensorFile::Parse(EncodeWeights(merged).value(), "weights.safetensors");
    ASSERT_TRUE(file.ok()) << file.status();
    const auto decoded = DecodeWeights(manifest, *file);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    const at::Tensor images = RandomImages(merged.geometry, 3, 4);
    EXPECT_TRUE(at::equal(nn::Forward(*decoded, images), nn::Forward(merged, images)));
  }
}

TEST(BundleWeightsTest, ManifestThatDoesNotFit_IsRefusedByName) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  artifact::Manifest manifest;
  manifest.family = "vit";
  DescribeNetwork(base, manifest);
  const auto file = artifact::TensorFile::Parse(EncodeWeights(base).value(), "weights.safetensors");
  ASSERT_TRUE(file.ok());
  artifact::Manifest fewer_heads = manifest;
  fewer_heads.layers[1].heads[0] = {0, 1};
  EXPECT_THAT(DecodeWeights(fewer_heads, *file).status().message(),
              HasSubstr("layers.1.stream.0.qkv.weight"));
  artifact::Manifest fewer_layers = manifest;
  fewer_layers.layers.pop_back();
  fewer_layers.geometry.layers = 2;
  EXPECT_THAT(DecodeWeights(fewer_layers, *file).status().message(),
              HasSubstr("tensors, want the"));
  manifest.member_mode = artifact::MemberMode::kReader;
  EXPECT_EQ(DecodeWeights(manifest, *file).status().code(), absl::StatusCode::kFailedPrecondition);
  manifest.reader = artifact::ReaderPlan{.first_layer = 7};
  EXPECT_THAT(DecodeWeights(manifest, *file).status().message(), HasSubstr("first_layer"));
}

}  // namespace
}  // namespace hydra::ensemble
