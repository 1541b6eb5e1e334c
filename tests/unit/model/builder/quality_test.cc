#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/builder/calibrating/default_score.h"
#include "model/builder/quality/bootstrap.h"
#include "model/builder/quality/measures.h"
#include "model/builder/quality/predictions.h"
#include "model/builder/source/proxy_ood.h"
#include "model/ensemble/merge.h"
#include "model/ensemble/prune.h"
#include "model/train/trainer.h"

namespace hydra::builder {
namespace {

using testing::DoubleNear;

TEST(BootstrapInterval, MeanOfAKnownSample_HoldsTheMeanWithTheRightWidth) {
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(i % 2);
  const auto interval =
      BootstrapInterval(values.size(), {.resamples = 2000},
                        [&](absl::Span<const size_t> rows) -> absl::StatusOr<double> {
                          double sum = 0.0;
                          for (const size_t row : rows) sum += values[row];
                          return sum / static_cast<double>(rows.size());
                        });
  ASSERT_TRUE(interval.ok()) << interval.status();
  // Normal approximation: 0.5 +- 1.96 * 0.5 / sqrt(400).
  EXPECT_THAT(interval->low, DoubleNear(0.451, 0.008));
  EXPECT_THAT(interval->high, DoubleNear(0.549, 0.008));
}

TEST(BootstrapInterval, NoRow_IsRefused) {
  EXPECT_FALSE(BootstrapInterval(0, {}, [](absl::Span<const size_t>) -> absl::StatusOr<double> {
                 return 0.0;
               }).ok());
}

TEST(StackMembers, PredictionsOfOtherRows_AreRefused) {
  const Predictions a{.members = 1, .rows = 1, .classes = 2, .logits = {0, 1}};
  const Predictions b{.members = 1, .rows = 2, .classes = 2, .logits = {0, 1, 0, 1}};
  EXPECT_FALSE(StackMembers(std::vector<Predictions>{a, b}).ok());
}

TEST(StackMembers, TwoModels_AreTwoMembersInTheirOrder) {
  const Predictions a{.members = 1, .rows = 1, .classes = 2, .logits = {0, 1}, .labels = {1}};
  const Predictions b{.members = 1, .rows = 1, .classes = 2, .logits = {2, 3}, .labels = {1}};
  const auto both = StackMembers(std::vector<Predictions>{a, b});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ(both->members, 2u);
  EXPECT_EQ(MemberOf(*both, 1).logits, b.logits);
}

TEST(MeasureQuality, HandMadeLogits_GiveTheirAccuracyAndNll) {
  const float big = std::log(9.0f);  // softmax (0.9, 0.1)
  const Predictions predictions{.members = 1,
                                .rows = 4,
                                .classes = 2,
                                .logits = {big, 0, big, 0, big, 0, 0, big},
                                .labels = {0, 0, 1, 1}};
  const auto quality = MeasureQuality(predictions, 1.0);
  ASSERT_TRUE(quality.ok()) << quality.status();
  EXPECT_DOUBLE_EQ(quality->probability.accuracy, 0.75);
  EXPECT_NEAR(quality->probability.nll, -(3 * std::log(0.9) + std::log(0.1)) / 4, 1e-6);
  EXPECT_NEAR(quality->ece, 0.15, 1e-6);
  EXPECT_FALSE(quality->members.has_value());
  EXPECT_EQ(quality->selective.count("mutual_information"), 0u);
}

TEST(RankScores, ScoreThatSeesTheProxies_Wins) {
  // Held-out rows: members agree.  Proxies: members contradict each other at the same confidence.
  const Predictions id{.members = 2, .rows = 2, .classes = 2, .logits = {4, 0, 4, 0, 4, 0, 4, 0}};
  const Predictions ood{.members = 2, .rows = 2, .classes = 2, .logits = {9, 0, 9, 0, 0, 9, 0, 9}};
  const auto id_answers = Answers(id, 1.0), ood_answers = Answers(ood, 1.0);
  ASSERT_TRUE(id_answers.ok() && ood_answers.ok());
  const auto ranking = RankScores(*id_answers, std::vector<size_t>{0, 0}, *ood_answers);
  ASSERT_TRUE(ranking.ok()) << ranking.status();
  EXPECT_LT(ranking->aurc.at("mutual_information"), ranking->aurc.at("energy"));
  EXPECT_LE(ranking->aurc.at(ranking->best), ranking->aurc.at("mutual_information"));
}

TEST(MakeProxyOod, EveryThirdKind_ChangesTheImageInItsOwnWay) {
  LabelledData data;
  data.examples.pixels = at::arange(3 * 64, at::kLong).to(at::kByte).view({3, 1, 8, 8});
  data.examples.labels = at::zeros({3}, at::kLong);
  const LabelledData proxies = MakeProxyOod(data, 4, 1);
  EXPECT_FALSE(proxies.labelled());
  // Shuffled patches: the same pixels in another order.
  EXPECT_TRUE(at::equal(std::get<0>(proxies.examples.pixels[0].flatten().sort()),
                        std::get<0>(data.examples.pixels[0].flatten().sort())));
  // Turned and inverted: pixels are 255 minus those of the image.
  EXPECT_TRUE(at::equal(std::get<0>((255 - proxies.examples.pixels[2]).flatten().sort()),
                        std::get<0>(data.examples.pixels[2].flatten().sort())));
  EXPECT_FALSE(at::equal(proxies.examples.pixels[1], data.examples.pixels[1]));
  EXPECT_TRUE(at::equal(proxies.examples.pixels, MakeProxyOod(data, 4, 1).examples.pixels));
}

}  // namespace
}  // namespace hydra::builder
