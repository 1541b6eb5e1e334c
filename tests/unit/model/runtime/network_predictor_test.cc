#include "model/runtime/network_predictor.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/ensemble/add_readers.h"
#include "model/ensemble/merge.h"
#include "model/nn/pass/forward.h"
#include "model/nn/tensor_convert.h"
#include "model/runtime/rows.h"
#include "tests/unit/model/random_network.h"

namespace hydra::runtime {
namespace {

using ::testing::HasSubstr;
using testing::RandomImages;
using testing::TinyGeometry;
using testing::WideNetwork;

nn::Network ThreeMembers() {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  return ensemble::MergeMembers({ensemble::PruneHeads(base, {{0, 1}, {2}, {0, 3}}).value(),
                                 ensemble::PruneHeads(base, {{1, 2}, {3}, {1, 2}}).value(),
                                 ensemble::PruneHeads(base, {{0, 3}, {}, {1}}).value()},
                                {})
      .value();
}

std::vector<float> RowsOf(int64_t batch) {
  return nn::ToFloatVector(RandomImages(TinyGeometry(), batch, 7));
}

double LargestValue(const std::vector<float>& values) {
  double largest = 0.0;
  for (const float v : values) largest = std::max(largest, std::abs(static_cast<double>(v)));
  return largest;
}

TEST(NetworkPredictorTest, Run_GivesTheForwardPassInMemberMajorOrder) {
  const nn::Network network = ThreeMembers();
  const auto predictor = MakePredictor(network, {});
  ASSERT_TRUE(predictor.ok()) << predictor.status();
  EXPECT_EQ((*predictor)->shape().members, 3u);
  EXPECT_EQ((*predictor)->shape().row_values, 144u);
  const auto logits = (*predictor)->Run(RowsOf(4), 4);
  ASSERT_TRUE(logits.ok()) << logits.status();
  const auto want = nn::ToFloatVector(nn::Forward(network, RandomImages(TinyGeometry(), 4, 7)));
  ASSERT_EQ(logits->size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR((*logits)[i], want[i], 1e-4);
}

TEST(NetworkPredictorTest, BFloat16_StaysCloseToFloat32) {
  if (ResolveNumerics(Numerics::kBFloat16) != Numerics::kBFloat16) {
    GTEST_SKIP() << "needs a CPU with bfloat16";
  }
  const nn::Network network = ThreeMembers();
  const auto exact = MakePredictor(network, {}).value()->Run(RowsOf(8), 8);
  const auto rounded =
      MakePredictor(network, {.numerics = Numerics::kBFloat16}).value()->Run(RowsOf(8), 8);
  ASSERT_TRUE(exact.ok() && rounded.ok());
  EXPECT_NE(*exact, *rounded);
  const double scale = LargestValue(*exact);
  for (size_t i = 0; i < exact->size(); ++i) {
    EXPECT_NEAR((*rounded)[i], (*exact)[i], 0.03 * scale);
  }
}

TEST(NetworkPredictorTest, TwoPredictors_RunInParallel) {
  const nn::Network network = ThreeMembers();
  const auto first = MakePredictor(network, {}).value(),
             second = MakePredictor(network, {}).value();
  const auto want = first->Run(RowsOf(4), 4).value();
  std::vector<std::vector<float>> got(2);
  {
    std::jthread a([&] { got[0] = first->Run(RowsOf(4), 4).value(); });
    std::jthread b([&] { got[1] = second->Run(RowsOf(4), 4).value(); });
  }
  EXPECT_EQ(got[0], want);
  EXPECT_EQ(got[1], want);
}

TEST(NetworkPredictorTest, WrongSizeOrBatch_IsRefused) {
  const auto predictor = MakePredictor(ThreeMembers(), {}).value();
  EXPECT_THAT(predictor->Run(RowsOf(2), 3).status().message(),
              HasSubstr("got 288 values for batch 3"));
  EXPECT_FALSE(predictor->Run({}, 0).ok());
  EXPECT_FALSE(MakePredictor(ThreeMembers(), {.threads = 0}).ok());
}

// Reads texts of up to 10 tokens from a vocabulary of 40.
nn::Network TextNetwork() {
  nn::Network network = WideNetwork(TinyGeometry(), 1);
  artifact::Geometry& geometry = network.geometry;
  geometry.image_height = geometry.image_width = geometry.channels = geometry.patch_size = 0;
  geometry.vocabulary = 40;
  geometry.max_positions = 10;
  nn::EncoderWeights& weights = network.weights;
  weights.patch_weight = weights.patch_bias = weights.prefix = at::Tensor();
  at::manual_seed(3);
  weights.word = at::randn({40, 24});
  weights.position = at::randn({10, 24});
  return network;
}

TEST(NetworkPredictorTest, RunTexts_GivesEachTextWhatItGetsAlone) {
  const auto predictor = MakePredictor(TextNetwork(), {});
  ASSERT_TRUE(predictor.ok()) << predictor.status();
  EXPECT_EQ((*predictor)->shape(),
            (PredictorShape{.members = 1, .classes = 5, .max_tokens = 10, .vocabulary = 40}));
  const std::vector<std::vector<int64_t>> texts = {{1, 2, 3}, {39}, {4, 5, 6, 7, 8, 9, 0, 1, 2, 3}};
  std::vector<int64_t> ids;
  std::vector<size_t> lengths;
  for (const auto& text : texts) {
    ids.insert(ids.end(), text.begin(), text.end());
    lengths.push_back(text.size());
  }
  const auto together = (*predictor)->RunTexts(ids, lengths);
  ASSERT_TRUE(together.ok()) << together.status();
  ASSERT_EQ(together->size(), 15u);
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto alone = (*predictor)->RunTexts(texts[i], {lengths[i]}).value();
    for (size_t c = 0; c < 5; ++c) EXPECT_NEAR((*together)[i * 5 + c], alone[c], 1e-4);
  }
}

TEST(NetworkPredictorTest, WrongTexts_AreRefusedBeforeThePass) {
  const auto texts = MakePredictor(TextNetwork(), {}).value();
  EXPECT_THAT(texts->RunTexts({40}, {1}).status().message(), HasSubstr("token id 40, want 0..39"));
  EXPECT_THAT(texts->RunTexts({-1}, {1}).status().message(), HasSubstr("token id -1"));
  const std::vector<int64_t> eleven(11, 1);
  EXPECT_THAT(texts->RunTexts(eleven, {11}).status().message(), HasSubstr("want 1..10"));
  EXPECT_FALSE(texts->RunTexts({1}, {2}).ok());
  EXPECT_FALSE(texts->RunTexts({}, {}).ok());
  EXPECT_THAT(texts->Run({}, 1).status().message(), HasSubstr("want texts"));
  EXPECT_THAT(MakePredictor(ThreeMembers(), {}).value()->RunTexts({1}, {1}).status().message(),
              HasSubstr("want images"));
}

TEST(NetworkPredictorTest, NetworkThatDoesNotFitItsPlan_IsRefusedByName) {
  nn::Network network = ThreeMembers();
  network.weights.layers[1].fc1_weight = at::zeros({1, 3, 24});
  const auto predictor = MakePredictor(network, {});
  EXPECT_EQ(predictor.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(predictor.status().message(),
              HasSubstr("layers.1.fc1.weight: got [1, 3, 24], want [1, 20, 24]"));
}

// heads[l] of each member of ThreeMembers.
const std::vector<ensemble::KeptHeads> kKept = {
    {{0, 1}, {2}, {0, 3}}, {{1, 2}, {3}, {1, 2}}, {{0, 3}, {}, {1}}};

TEST(NetworkPredictorTest, Explain_GivesEachHeadsAttentionAsItsMemberAloneComputesIt) {
  const nn::Network base = WideNetwork(TinyGeometry(), 1);
  const nn::Network merged = ThreeMembers();
  ASSERT_TRUE(merged.plan[0].shared_qkv);  // both ways of keeping q/k/v are looked at
  ASSERT_FALSE(merged.plan[1].shared_qkv);
  const auto predictor = MakePredictor(merged, {}).value();
  const Rows row{.values = RowsOf(1)};
  for (size_t m = 0; m < kKept.size(); ++m) {
    std::vector<HeadQuery> queries;
    for (size_t l = 0; l < kKept[m].size(); ++l) {
      for (const size_t h : kKept[m][l]) queries.push_back({.layer = l, .head = h, .member = m});
    }
    const auto seen = predictor->Explain(row, queries);
    ASSERT_TRUE(seen.ok()) << seen.status();
    ASSERT_EQ(seen->size(), queries.size());
    std::vector<std::vector<float>> want;
    nn::ForwardOptions options;
    options.observe_attention = [&](size_t, const nn::SequenceGroup&, const at::Tensor& seen_here) {
      for (int64_t k = 0; k < seen_here.size(2); ++k) {
        want.push_back(nn::ToFloatVector(seen_here[0][0][k]));
      }
    };
    nn::Forward(ensemble::PruneHeads(base, kKept[m]).value(), RandomImages(TinyGeometry(), 1, 7),
                options);
    ASSERT_EQ(want.size(), queries.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ((*seen)[i].tokens, 10u);
      ASSERT_EQ((*seen)[i].probabilities.size(), want[i].size());
      for (size_t j = 0; j < want[i].size(); ++j) {
        EXPECT_NEAR((*seen)[i].probabilities[j], want[i][j], 1e-5);
      }
    }
  }
}

TEST(NetworkPredictorTest, ExplainOfReaders_IsUnimplemented) {
  const auto readers = ensemble::AddReaders(WideNetwork(TinyGeometry(), 1), {});
  ASSERT_TRUE(readers.ok()) << readers.status();
  const auto predictor = MakePredictor(*readers, {}).value();
  EXPECT_TRUE(absl::IsUnimplemented(
      predictor->Explain({.values = RowsOf(1)}, std::vector<HeadQuery>{{}}).status()));
}

TEST(NetworkPredictorTest, ExplainOfARemovedHead_IsRefusedByName) {
  const auto predictor = MakePredictor(ThreeMembers(), {}).value();
  const Rows row{.values = RowsOf(1)};
  const auto message = [&](const HeadQuery& query) {
    return std::string(predictor->Explain(row, std::vector<HeadQuery>{query}).status().message());
  };
  EXPECT_THAT(message({.layer = 1, .head = 2, .member = 2}),
              HasSubstr("member 2 does not keep head 2 in layer 1"));
  EXPECT_THAT(message({.layer = 3, .head = 0, .member = 0}), HasSubstr("in layer 3"));
  EXPECT_THAT(message({.layer = 0, .head = 0, .member = 3}), HasSubstr("member 3"));
  EXPECT_TRUE(absl::IsInvalidArgument(
      predictor->Explain({.values = RowsOf(2)}, std::vector<HeadQuery>{{}}).status()));
}

TEST(NetworkPredictorTest, ExplainOfAText_HasItsTokensAndRowsThatSumToOne) {
  const auto predictor = MakePredictor(TextNetwork(), {}).value();
  const Rows text{.token_ids = {4, 5, 6, 7, 8}, .lengths = {5}};
  const auto seen = predictor->Explain(text, std::vector<HeadQuery>{{.layer = 2, .head = 3}});
  ASSERT_TRUE(seen.ok()) << seen.status();
  EXPECT_EQ((*seen)[0].tokens, 5u);
  ASSERT_EQ((*seen)[0].probabilities.size(), 25u);
  for (size_t i = 0; i < 5; ++i) {
    double sum = 0.0;
    for (size_t j = 0; j < 5; ++j) sum += (*seen)[0].probabilities[i * 5 + j];
    EXPECT_NEAR(sum, 1.0, 1e-5);
  }
}

}  // namespace
}  // namespace hydra::runtime
