#include "server/policy/preview.h"

#include "gtest/gtest.h"
#include "tests/fakes/fake_bundle.h"

namespace hydra::policy {
namespace {

using uncertainty::Score;

Policy WithThreshold(double threshold) {
  return {.rules = {.scores = {{Score::kOneMinusConfidence, threshold}}}};
}

LiveSample SampleWith(double confidence) {
  LiveSample sample;
  sample.answer.split.confidence = confidence;
  sample.set_sizes = {1};
  return sample;
}

TEST(PreviewPolicyTest, DeclaredCut_HasItsCountsAndABound) {
  const auto preview = PreviewPolicy(WithThreshold(0.2), {}, fakes::FakeServedBundle(), {}, 0.05);
  ASSERT_TRUE(preview.ok()) << preview.status();
  ASSERT_TRUE(preview->certified && preview->certified->declared);
  EXPECT_EQ(preview->certified->declared->accepted, 700u);
  EXPECT_EQ(preview->certified->declared->errors, 7u);
  EXPECT_GT(preview->certified->declared->risk_bound, 0.01);
  EXPECT_EQ(preview->n, 1000u);
  EXPECT_FALSE(preview->live.has_value());
}

TEST(PreviewPolicyTest, ThresholdBetweenCuts_HasOnlyNeighbours) {
  const auto preview = PreviewPolicy(WithThreshold(0.3), {}, fakes::FakeServedBundle(), {}, 0.05);
  ASSERT_TRUE(preview.ok() && preview->certified);
  EXPECT_FALSE(preview->certified->declared.has_value());
  EXPECT_EQ(preview->certified->below->threshold, 0.2);
  EXPECT_EQ(preview->certified->above->threshold, 0.5);
}

TEST(PreviewPolicyTest, SmallerDelta_WidensTheBound) {
  const auto bundle = fakes::FakeServedBundle();
  const auto loose = PreviewPolicy(WithThreshold(0.2), {}, bundle, {}, 0.2);
  const auto strict = PreviewPolicy(WithThreshold(0.2), {}, bundle, {}, 0.001);
  ASSERT_TRUE(loose.ok() && strict.ok());
  EXPECT_LT(loose->certified->declared->risk_bound, strict->certified->declared->risk_bound);
}

TEST(PreviewPolicyTest, SeveralRules_AreNotCertifiedTogether) {
  Policy policy = WithThreshold(0.2);
  policy.rules.never_predict = {1};
  const auto preview = PreviewPolicy(policy, {}, fakes::FakeServedBundle(), {}, 0.05);
  ASSERT_TRUE(preview.ok());
  EXPECT_FALSE(preview->certified.has_value());
}

TEST(PreviewPolicyTest, LiveTraffic_CountsFlips) {
  const std::vector<LiveSample> samples = {SampleWith(0.95), SampleWith(0.85), SampleWith(0.7),
                                           SampleWith(0.4)};
  const auto preview = PreviewPolicy(WithThreshold(0.1), WithThreshold(0.5),
                                     fakes::FakeServedBundle(), samples, 0.05);
  ASSERT_TRUE(preview.ok() && preview->live);
  EXPECT_EQ(preview->live->samples, 4u);
  EXPECT_EQ(preview->live->coverage, 0.25);
  EXPECT_EQ(preview->live->active_coverage, 0.75);
  EXPECT_EQ(preview->live->flipped, 0.5);
}

TEST(PreviewPolicyTest, DeltaOutOfRange_IsRefused) {
  for (const double delta : {-0.1, 0.0, 1.0}) {
    EXPECT_EQ(
        PreviewPolicy(WithThreshold(0.1), {}, fakes::FakeServedBundle(), {}, delta).status().code(),
        absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hydra::policy
