#include "model/metrics/members.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/golden/uncertainty_golden.h"

namespace hydra::metrics {
namespace {

using uncertainty::Answer;
using uncertainty::EnsembleShape;

// Answers whose member probabilities are the golden ones: softmax(ln p) = p.
std::vector<Answer> AnswersOf(const golden::UncertaintyCase& golden) {
  std::vector<float> logits;
  for (const float p : golden.probs) logits.push_back(std::log(std::max(p, 1e-9f)));
  return uncertainty::AnswerRows(logits, golden.shape, 1.0).value();
}

TEST(CompareMembersTest, GoldenCases_EqualReference) {
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    if (golden.shape.members() < 2) continue;
    SCOPED_TRACE(golden.name);
    const auto comparison = CompareMembers(AnswersOf(golden));
    ASSERT_TRUE(comparison.ok()) << comparison.status();
    EXPECT_NEAR(comparison->mutual_information, golden.reference.at("mutual_information_mean"),
                1e-5);
    EXPECT_NEAR(comparison->disagreement, golden.libraries.at("torch_uncertainty.Disagreement"),
                1e-6);
    EXPECT_EQ(comparison->n, golden.shape.batch());
  }
}

TEST(CompareMembersTest, PairwiseKl_IsMutualPlusReverseInformation) {
  const std::vector<float> logits = {1.0f, 0.0f, -1.0f, 0.3f, 0.2f, 0.9f, -0.5f, 1.4f, 0.0f};
  const auto shape = EnsembleShape::Create(3, 1, 3).value();
  const auto answers = uncertainty::AnswerRows(logits, shape, 1.0).value();
  double reverse = 0.0;
  for (size_t i = 0; i < 9; ++i) {
    const double p = answers[0].mean_probs[i % 3];
    reverse += p * std::log(p / answers[0].member_probs[i]) / 3.0;
  }
  const auto comparison = CompareMembers(answers).value();
  EXPECT_NEAR(comparison.pairwise_kl, 1.5 * (comparison.mutual_information + reverse), 1e-6);
}

TEST(CompareMembersTest, OneMemberOrNoRow_IsRefused) {
  const auto shape = EnsembleShape::Create(1, 1, 2).value();
  const auto answers = uncertainty::AnswerRows(std::vector<float>{0, 1}, shape, 1.0).value();
  EXPECT_EQ(CompareMembers(answers).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CompareMembers({}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace hydra::metrics
