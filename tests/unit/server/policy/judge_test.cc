#include "server/policy/judge.h"

#include "gtest/gtest.h"
#include "tests/fakes/fake_bundle.h"

namespace hydra::policy {
namespace {

using uncertainty::AbstentionReason;
using uncertainty::Outcome;
using uncertainty::Score;

uncertainty::Answer AnswerOf(size_t predicted_class, double confidence) {
  uncertainty::Answer answer;
  answer.split.predicted_class = predicted_class;
  answer.split.confidence = confidence;
  return answer;
}

class JudgeTest : public ::testing::Test {
 protected:
  uncertainty::Decision Decide(const Rules& rules, size_t set_size = 1, size_t predicted = 0) {
    return Judge(rules, AnswerOf(predicted, 0.7), {set_size}, bundle_.calibration);
  }

  const ServedBundle bundle_ = fakes::FakeServedBundle();
};

TEST_F(JudgeTest, NoRules_AcceptEverything) { EXPECT_EQ(Decide({}).outcome, Outcome::kPredicted); }

TEST_F(JudgeTest, ScoreRule_SpeaksFirst) {
  const Rules rules{.scores = {{Score::kOneMinusConfidence, 0.2}},
                    .conformal_set = ConformalSetRule{.max_size = 1},
                    .never_predict = {0}};
  const auto decision = Decide(rules, 3);
  EXPECT_EQ(decision.outcome, Outcome::kAbstained);
  EXPECT_EQ(decision.reason, AbstentionReason::kLowConfidence);
  EXPECT_EQ(decision.rule, 0u);
}

TEST_F(JudgeTest, ScoreAtItsThreshold_IsAccepted) {
  const double score = 1.0 - 0.7;
  EXPECT_EQ(Decide({.scores = {{Score::kOneMinusConfidence, score}}}).outcome, Outcome::kPredicted);
}

TEST_F(JudgeTest, ConformalSet_AbstainsAboveItsSize) {
  const Rules rules{.conformal_set = ConformalSetRule{.max_size = 1, .alpha = 0.1}};
  EXPECT_EQ(Decide(rules, 1).outcome, Outcome::kPredicted);
  const auto decision = Decide(rules, 2);
  EXPECT_EQ(decision.reason, AbstentionReason::kConformalSet);
  EXPECT_EQ(decision.rule, std::nullopt);
}

TEST_F(JudgeTest, ConformalSetThatIsNotKnown_Abstains) {
  const Rules rules{.conformal_set = ConformalSetRule{.max_size = 3, .alpha = 0.2}};
  EXPECT_EQ(Decide(rules, 1).reason, AbstentionReason::kConformalSet);
}

TEST_F(JudgeTest, ListedClass_IsNeverPredicted) {
  const Rules rules{.never_predict = {0, 2}};
  EXPECT_EQ(Decide(rules, 1, 2).reason, AbstentionReason::kPolicyClass);
  EXPECT_EQ(Decide(rules, 1, 1).outcome, Outcome::kPredicted);
}

TEST(FindQuantileTest, Alpha_IsFoundExactlyOrNotAtAll) {
  const artifact::Calibration calibration = fakes::FakeServedBundle().calibration;
  EXPECT_EQ(FindQuantile(calibration, std::nullopt), 0u);
  EXPECT_EQ(FindQuantile(calibration, 0.1), 0u);
  EXPECT_EQ(FindQuantile(calibration, 0.11), std::nullopt);
  EXPECT_EQ(FindQuantile({}, std::nullopt), std::nullopt);
}

}  // namespace
}  // namespace hydra::policy
