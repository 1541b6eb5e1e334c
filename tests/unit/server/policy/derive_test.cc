#include "server/policy/derive.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_bundle.h"

namespace hydra::policy {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using uncertainty::Score;

std::string FirstViolation(const absl::Status& status) {
  const auto violations = base::FieldViolationsOf(status);
  return violations.empty() ? "" : violations.front().path;
}

TEST(DeriveTest, TargetRisk_TakesTheLargestCutWhoseBoundHolds) {
  const auto derived = Derive({.intent = TargetRisk{.risk = 0.03}}, fakes::FakeServedBundle());
  ASSERT_TRUE(derived.ok()) << derived.status();
  ASSERT_EQ(derived->rules.scores.size(), 1u);
  EXPECT_EQ(derived->rules.scores[0].score, Score::kOneMinusConfidence);
  EXPECT_EQ(derived->rules.scores[0].threshold, 0.2);
  EXPECT_EQ(derived->certificate.state, CertificateState::kValid);
  EXPECT_LE(*derived->certificate.risk_bound, 0.03);
  EXPECT_GT(*derived->certificate.risk_bound, 0.01);
  EXPECT_EQ(derived->certificate.coverage, 0.7);
  EXPECT_EQ(derived->certificate.n, 1000u);
}

TEST(DeriveTest, TargetRiskThatTheSplitCannotSupport_SaysHowManyRowsItWouldTake) {
  const auto derived = Derive({.intent = TargetRisk{.risk = 0.005}}, fakes::FakeServedBundle());
  EXPECT_EQ(derived.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(base::ReasonOf(derived.status()), "TARGET_INFEASIBLE");
  const auto metadata = base::MetadataOf(derived.status());
  EXPECT_THAT(metadata, Contains(Pair("n", "1000")));
  ASSERT_THAT(metadata, Contains(Key("n_needed")));
  EXPECT_GT(std::stoi(metadata.at("n_needed")), 1000);
}

TEST(DeriveTest, TargetCoverage_TakesTheSmallestCutThatReachesIt) {
  const auto derived =
      Derive({.intent = TargetCoverage{.coverage = 0.71}}, fakes::FakeServedBundle());
  ASSERT_TRUE(derived.ok()) << derived.status();
  EXPECT_EQ(derived->rules.scores[0].threshold, 0.5);
  EXPECT_EQ(derived->certificate.coverage, 0.9);
}

TEST(DeriveTest, NamedScore_UsesItsOwnTable) {
  const auto derived = Derive({.intent = TargetRisk{.risk = 0.5, .score = Score::kTotalEntropy}},
                              fakes::FakeServedBundle());
  ASSERT_TRUE(derived.ok()) << derived.status();
  EXPECT_EQ(derived->rules.scores[0].score, Score::kTotalEntropy);
}

TEST(DeriveTest, ScoreOrNumericsWithoutTable_AreRefused) {
  const Change change{.intent = TargetRisk{.risk = 0.5, .score = Score::kEnergy}};
  EXPECT_EQ(base::ReasonOf(Derive(change, fakes::FakeServedBundle()).status()), "NO_CERTIFICATE");
  ServedBundle other = fakes::FakeServedBundle();
  other.serving_dtype = "bfloat16";
  EXPECT_EQ(base::ReasonOf(Derive({.intent = TargetRisk{.risk = 0.5}}, other).status()),
            "NO_CERTIFICATE");
}

TEST(DeriveTest, TargetsOutOfRange_NameTheField) {
  const ServedBundle bundle = fakes::FakeServedBundle();
  const auto field = [&bundle](Intent intent) {
    return FirstViolation(Derive({.intent = intent}, bundle).status());
  };
  EXPECT_EQ(field(TargetRisk{.risk = 0.0}), "intent.target_risk.risk");
  EXPECT_EQ(field(TargetRisk{.risk = std::numeric_limits<double>::quiet_NaN()}),
            "intent.target_risk.risk");
  EXPECT_EQ(field(TargetRisk{.risk = 0.1, .delta = 1.0}), "intent.target_risk.delta");
  EXPECT_EQ(field(TargetCoverage{.coverage = 1.5}), "intent.target_coverage.coverage");
}

TEST(DeriveTest, MemberComparisonOfOneMember_IsRefused) {
  const Change change{.intent = TargetRisk{.risk = 0.1, .score = Score::kMutualInformation}};
  EXPECT_EQ(FirstViolation(Derive(change, fakes::FakeServedBundle(1)).status()),
            "intent.target_risk.score_name");
}

TEST(DeriveTest, ManualRules_AreKeptAndCertifyNothing) {
  const Rules rules{.scores = {{Score::kEnergy, -3.0}}, .never_predict = {1}};
  const auto derived = Derive({.rules = rules}, fakes::FakeServedBundle());
  ASSERT_TRUE(derived.ok()) << derived.status();
  EXPECT_EQ(derived->rules, rules);
  EXPECT_EQ(derived->certificate.state, CertificateState::kVoid);
  EXPECT_EQ(derived->certificate.risk_bound, std::nullopt);
}

TEST(DeriveTest, ManualRulesOutOfRange_NameTheField) {
  const ServedBundle bundle = fakes::FakeServedBundle();
  const auto field = [&bundle](Rules rules) {
    return FirstViolation(Derive({.rules = rules}, bundle).status());
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(field({.scores = {{Score::kEnergy, infinity}}}), "rules[0].score.threshold");
  EXPECT_EQ(field({.scores = {{Score::kEnergy, 1.0}, {Score::kEnergy, 2.0}}}), "rules");
  EXPECT_EQ(field({.conformal_set = ConformalSetRule{.max_size = 4}}),
            "rules.conformal_set.max_size");
  EXPECT_EQ(field({.conformal_set = ConformalSetRule{.max_size = 1, .alpha = 0.2}}),
            "rules.conformal_set.alpha");
  EXPECT_EQ(field({.never_predict = {3}}), "rules.classes.never_predict[0]");
  EXPECT_EQ(field({.never_predict = {1, 1}}), "rules.classes.never_predict[1]");
}

TEST(RecertifyTest, RulesThatTheIntentGives_AreValid) {
  const ServedBundle bundle = fakes::FakeServedBundle();
  const Intent intent = TargetRisk{.risk = 0.03};
  Policy policy{.rules = Derive({.intent = intent}, bundle)->rules, .intent = intent};
  EXPECT_EQ(Recertify(policy, bundle).state, CertificateState::kValid);
}

TEST(RecertifyTest, RulesChangedByHand_AreVoid) {
  Policy policy{.rules = {.scores = {{Score::kOneMinusConfidence, 0.25}}},
                .intent = TargetRisk{.risk = 0.03},
                .certificate = {.state = CertificateState::kValid}};
  EXPECT_EQ(Recertify(policy, fakes::FakeServedBundle()).state, CertificateState::kVoid);
}

TEST(RecertifyTest, OtherNumerics_AreStale) {
  ServedBundle bundle = fakes::FakeServedBundle();
  bundle.serving_dtype = "bfloat16";
  const Policy policy{.rules = {.scores = {{Score::kOneMinusConfidence, 0.2}}},
                      .intent = TargetRisk{.risk = 0.03},
                      .certificate = {.state = CertificateState::kValid, .risk_bound = 0.02}};
  const Certificate certificate = Recertify(policy, bundle);
  EXPECT_EQ(certificate.state, CertificateState::kStale);
  EXPECT_THAT(certificate.reason, HasSubstr("bfloat16"));
}

}  // namespace
}  // namespace hydra::policy
