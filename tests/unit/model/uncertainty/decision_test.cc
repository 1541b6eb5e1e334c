#include "model/uncertainty/decision.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::uncertainty {
namespace {

using ::testing::HasSubstr;

Answer MakeAnswer(double confidence, std::optional<double> mutual_information) {
  Answer answer;
  answer.split.confidence = confidence;
  answer.split.epistemic_nats = mutual_information;
  return answer;
}

const std::vector<Rule> kRules = {{Score::kMutualInformation, 0.2},
                                  {Score::kOneMinusConfidence, 0.25}};

TEST(DecideTest, NoRules_Predicts) {
  const Decision decision = Decide(MakeAnswer(0.1, std::nullopt), {});
  EXPECT_EQ(decision.outcome, Outcome::kPredicted);
  EXPECT_EQ(decision.rule, std::nullopt);
  EXPECT_EQ(Explain(decision, {}), "");
}

TEST(DecideTest, AllScoresWithin_PredictsAndReportsTheFirstRule) {
  const Decision decision = Decide(MakeAnswer(0.75, 0.2), kRules);  // equal is accepted
  EXPECT_EQ(decision.outcome, Outcome::kPredicted);
  EXPECT_EQ(decision.rule, 0u);
  EXPECT_EQ(decision.score, 0.2);
  EXPECT_EQ(decision.threshold, 0.2);
  EXPECT_EQ(decision.reason, std::nullopt);
  EXPECT_THAT(Explain(decision, kRules), HasSubstr("mutual_information 0.2 is within"));
}

TEST(DecideTest, SecondRuleFires_IsReportedWithItsReason) {
  const Decision decision = Decide(MakeAnswer(0.5, 0.1), kRules);
  EXPECT_EQ(decision.outcome, Outcome::kAbstained);
  EXPECT_EQ(decision.rule, 1u);
  EXPECT_EQ(decision.score, 0.5);
  EXPECT_EQ(decision.threshold, 0.25);
  EXPECT_EQ(decision.failure, RuleFailure::kOverThreshold);
  EXPECT_EQ(decision.reason, AbstentionReason::kLowConfidence);
}

TEST(DecideTest, TwoRulesFire_TheFirstInPolicyOrderIsReported) {
  const Decision decision = Decide(MakeAnswer(0.5, 0.3), kRules);
  EXPECT_EQ(decision.rule, 0u);
  EXPECT_EQ(decision.reason, AbstentionReason::kMembersDisagree);
}

TEST(DecideTest, UnsetScore_Abstains) {
  const Decision decision = Decide(MakeAnswer(0.99, std::nullopt), kRules);
  EXPECT_EQ(decision.outcome, Outcome::kAbstained);
  EXPECT_EQ(decision.failure, RuleFailure::kScoreUnset);
  EXPECT_EQ(decision.score, std::nullopt);
  EXPECT_EQ(decision.reason, AbstentionReason::kMembersDisagree);
  EXPECT_THAT(Explain(decision, kRules), HasSubstr("only one"));
}

TEST(DecideTest, NotANumber_Abstains) {
  const std::vector<Rule> never = {{Score::kOneMinusConfidence, NAN}};
  const Decision of_score = Decide(MakeAnswer(NAN, 0.0), kRules);
  const Decision of_threshold = Decide(MakeAnswer(0.99, 0.0), never);
  EXPECT_EQ(of_score.outcome, Outcome::kAbstained);
  EXPECT_EQ(of_score.failure, RuleFailure::kNotComparable);
  EXPECT_EQ(of_score.rule, 1u);
  EXPECT_EQ(of_threshold.outcome, Outcome::kAbstained);
  EXPECT_THAT(Explain(of_threshold, never), HasSubstr("cannot be compared"));
}

TEST(DecideTest, InfiniteThreshold_AcceptsEverything) {
  const std::vector<Rule> always = {{Score::kOneMinusConfidence, INFINITY}};
  EXPECT_EQ(Decide(MakeAnswer(0.0, 0.0), always).outcome, Outcome::kPredicted);
}

TEST(CheckRulesTest, RulesThatCannotBeServed_AreNamed) {
  EXPECT_TRUE(CheckRules(kRules, 3).ok());
  EXPECT_TRUE(CheckRules({}, 1).ok());
  EXPECT_THAT(std::string(CheckRules(kRules, 1).message()), HasSubstr("rules[0].score"));
  const std::vector<Rule> nan = {{Score::kEnergy, NAN}};
  EXPECT_THAT(std::string(CheckRules(nan, 3).message()), HasSubstr("rules[0].threshold"));
  const std::vector<Rule> twice = {{Score::kEnergy, 1.0}, {Score::kEnergy, 2.0}};
  EXPECT_THAT(std::string(CheckRules(twice, 3).message()), HasSubstr("already in rules[0]"));
}

}  // namespace
}  // namespace hydra::uncertainty
