#include "model/uncertainty/split.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "tests/golden/uncertainty_golden.h"

namespace hydra::uncertainty {
namespace {

using ::testing::HasSubstr;

EnsembleShape Shape(size_t members, size_t batch, size_t classes) {
  return EnsembleShape::Create(members, batch, classes).value();
}

std::vector<float> RandomProbs(EnsembleShape shape, uint64_t seed) {
  base::Rng rng(seed);
  std::vector<float> probs(shape.size());
  for (size_t start = 0; start < probs.size(); start += shape.classes()) {
    double sum = 0.0;
    for (size_t c = 0; c < shape.classes(); ++c)
      sum += probs[start + c] = std::exp(2.0 * rng.Normal());
    for (size_t c = 0; c < shape.classes(); ++c) probs[start + c] /= sum;
  }
  return probs;
}

TEST(SplitUncertaintyTest, GoldenCases_EqualFloat64Reference) {
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    SCOPED_TRACE(golden.name);
    const auto splits = SplitUncertainty(golden.probs, golden.shape);
    ASSERT_TRUE(splits.ok()) << splits.status();
    double total = 0.0, aleatoric = 0.0, epistemic = 0.0;
    for (const UncertaintySplit& split : *splits) {
      total += split.total_nats / splits->size();
      aleatoric += split.aleatoric_nats / splits->size();
      epistemic += split.epistemic_nats.value_or(0.0) / splits->size();
    }
    EXPECT_NEAR(total, golden.reference.at("entropy_mean"), 1e-6);
    EXPECT_NEAR(aleatoric, golden.reference.at("expected_entropy_mean"), 1e-6);
    EXPECT_NEAR(epistemic, golden.reference.at("mutual_information_mean"), 1e-6);
    for (size_t i = 0; i < golden.head_confidence.size(); ++i) {
      EXPECT_NEAR((*splits)[i].confidence, golden.head_confidence[i], 1e-6);
      EXPECT_NEAR((*splits)[i].total_nats, golden.head_entropy[i], 1e-6);
    }
  }
}

TEST(SplitUncertaintyTest, OneMember_LeavesComparisonsUnset) {
  const auto splits = SplitUncertainty(std::vector<float>{0.25f, 0.75f}, Shape(1, 1, 2));
  ASSERT_TRUE(splits.ok());
  EXPECT_EQ(splits->front().epistemic_nats, std::nullopt);
  EXPECT_EQ(splits->front().disagreement, std::nullopt);
  EXPECT_EQ(splits->front().variation_ratio, std::nullopt);
  EXPECT_DOUBLE_EQ(splits->front().total_nats, splits->front().aleatoric_nats);
}

TEST(SplitUncertaintyTest, CertainMembersThatDisagree_AllUncertaintyIsEpistemic) {
  const std::vector<float> probs = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const auto splits = SplitUncertainty(probs, Shape(3, 1, 3));
  ASSERT_TRUE(splits.ok());
  EXPECT_NEAR(*splits->front().epistemic_nats, std::log(3.0), 1e-12);
  EXPECT_DOUBLE_EQ(splits->front().aleatoric_nats, 0.0);
  EXPECT_DOUBLE_EQ(*splits->front().disagreement, 1.0);
  EXPECT_DOUBLE_EQ(*splits->front().variation_ratio, 2.0 / 3.0);
  EXPECT_EQ(splits->front().predicted_class, 0u);
}

TEST(SplitUncertaintyTest, RandomRows_StayInRangeAndIgnoreMemberOrder) {
  const EnsembleShape shape = Shape(4, 200, 7);
  const std::vector<float> probs = RandomProbs(shape, 17);
  std::vector<float> rotated(probs.begin() + shape.size() / 4, probs.end());
  rotated.insert(rotated.end(), probs.begin(), probs.begin() + shape.size() / 4);
  const auto splits = SplitUncertainty(probs, shape);
  const auto permuted = SplitUncertainty(rotated, shape);
  ASSERT_TRUE(splits.ok() && permuted.ok());
  for (size_t b = 0; b < shape.batch(); ++b) {
    const UncertaintySplit& split = (*splits)[b];
    EXPECT_GE(*split.epistemic_nats, 0.0);
    EXPECT_LE(*split.epistemic_nats, std::log(4.0));
    EXPECT_NEAR(split.aleatoric_nats + *split.epistemic_nats, split.total_nats, 1e-12);
    EXPECT_NEAR(*split.epistemic_nats, *(*permuted)[b].epistemic_nats, 1e-12);
    EXPECT_EQ(split.disagreement, (*permuted)[b].disagreement);
  }
}

TEST(SplitUncertaintyTest, RowAlone_EqualsRowInBatch) {
  const EnsembleShape shape = Shape(3, 5, 4);
  const std::vector<float> probs = RandomProbs(shape, 3);
  const auto together = SplitUncertainty(probs, shape);
  ASSERT_TRUE(together.ok());
  for (size_t b = 0; b < shape.batch(); ++b) {
    std::vector<float> alone;
    for (size_t m = 0; m < shape.members(); ++m) {
      const auto begin = probs.begin() + shape.RowOffset(m, b);
      alone.insert(alone.end(), begin, begin + shape.classes());
    }
    const auto split = SplitUncertainty(alone, Shape(3, 1, 4));
    ASSERT_TRUE(split.ok());
    EXPECT_EQ(split->front().total_nats, (*together)[b].total_nats);
    EXPECT_EQ(split->front().epistemic_nats, (*together)[b].epistemic_nats);
  }
}

TEST(SplitUncertaintyTest, WrongInput_IsRefusedByName) {
  const EnsembleShape shape = Shape(1, 1, 2);
  EXPECT_THAT(SplitUncertainty({}, shape).status().message(), HasSubstr("got 0 values, want 2"));
  EXPECT_THAT(SplitUncertainty(std::vector<float>{0.6f, 0.6f}, shape).status().message(),
              HasSubstr("row 0 sums to"));
  EXPECT_THAT(SplitUncertainty(std::vector<float>{1.5f, -0.5f}, shape).status().message(),
              HasSubstr("negative"));
  EXPECT_FALSE(SplitUncertainty(std::vector<float>{NAN, 1.0f}, shape).ok());
}

TEST(EnsembleShapeTest, NoMemberOrOneClass_IsRefused) {
  EXPECT_EQ(EnsembleShape::Create(0, 1, 2).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(EnsembleShape::Create(1, 1, 1).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hydra::uncertainty
