#include "server/rpc/control/policy_conversion.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"

namespace hydra::rpc {
namespace {

using uncertainty::Score;

void AddScoreRule(const std::string& name, double threshold, v1::Policy& policy) {
  policy.add_rules()->mutable_score()->set_score_name(name);
  policy.mutable_rules(policy.rules_size() - 1)->mutable_score()->set_threshold(threshold);
}

google::protobuf::FieldMask MaskOf(const std::vector<std::string>& paths) {
  google::protobuf::FieldMask mask;
  for (const std::string& path : paths) mask.add_paths(path);
  return mask;
}

std::string Refusal(const absl::Status& status) {
  const auto violations = base::FieldViolationsOf(status);
  return violations.empty() ? status.ToString() : violations[0].path + " " + base::ReasonOf(status);
}

policy::Policy FullPolicy() {
  return {.rules = {.scores = {{Score::kEnergy, -1.5}},
                    .conformal_set = policy::ConformalSetRule{.max_size = 2, .alpha = 0.1},
                    .never_predict = {0, 2}},
          .intent = policy::Manual{},
          .certificate = {.state = policy::CertificateState::kVoid, .reason = "rules set by hand"},
          .revision = 7,
          .bundle_digest = std::string(64, 'd'),
          .updated = absl::FromUnixNanos(1'700'000'000'000'000'005),
          .updated_by = "alice"};
}

TEST(PolicyConversionTest, Policy_ComesBackAsAChange) {
  const v1::Policy wire = ToProto(FullPolicy());
  EXPECT_EQ(wire.revision(), 7u);
  EXPECT_EQ(wire.etag(), policy::EtagOf(FullPolicy()));
  EXPECT_EQ(wire.update_time().seconds(), 1'700'000'000);
  EXPECT_EQ(wire.update_time().nanos(), 5);
  EXPECT_EQ(wire.certificate().state(), v1::CERTIFICATE_STATE_VOID);
  EXPECT_FALSE(wire.certificate().has_risk_bound());
  const auto change = ChangeFromProto(wire, MaskOf({"rules", "intent.manual"}));
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->rules, FullPolicy().rules);
  EXPECT_EQ(change->intent, policy::Intent(policy::Manual{}));
}

TEST(PolicyConversionTest, Targets_ComeWithTheirDefaults) {
  v1::Policy wire;
  wire.mutable_intent()->mutable_target_risk()->set_risk(0.02);
  const auto risk = ChangeFromProto(wire, {});
  ASSERT_TRUE(risk.ok()) << risk.status();
  EXPECT_EQ(risk->intent, policy::Intent(policy::TargetRisk{.risk = 0.02, .delta = 0.05}));
  wire.mutable_intent()->mutable_target_coverage()->set_coverage(0.9);
  wire.mutable_intent()->mutable_target_coverage()->set_score_name("energy");
  const auto coverage = ChangeFromProto(wire, MaskOf({"intent"}));
  ASSERT_TRUE(coverage.ok()) << coverage.status();
  EXPECT_EQ(coverage->intent,
            policy::Intent(policy::TargetCoverage{.coverage = 0.9, .score = Score::kEnergy}));
}

TEST(PolicyConversionTest, MaskedRulesAlone_AreAManualChange) {
  v1::Policy wire;
  wire.mutable_intent()->mutable_target_risk()->set_risk(0.02);
  AddScoreRule("total_entropy", 0.4, wire);
  const auto change = ChangeFromProto(wire, MaskOf({"rules"}));
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_EQ(change->intent, policy::Intent(policy::Manual{}));
  EXPECT_EQ(change->rules.scores[0].score, Score::kTotalEntropy);
}

TEST(PolicyConversionTest, MaskedRulesThatAreEmpty_ClearThePolicy) {
  const auto change = ChangeFromProto(v1::Policy(), MaskOf({"rules"}));
  ASSERT_TRUE(change.ok()) << change.status();
  EXPECT_TRUE(change->rules.empty());
}

TEST(PolicyConversionTest, MasksThatMakeNoSense_AreRefused) {
  v1::Policy wire;
  EXPECT_EQ(Refusal(ChangeFromProto(wire, {}).status()), "update_mask BAD_MASK");
  EXPECT_EQ(Refusal(ChangeFromProto(wire, MaskOf({"rules", "revision"})).status()),
            "update_mask.paths[1] BAD_MASK");
  EXPECT_EQ(Refusal(ChangeFromProto(wire, MaskOf({"intent"})).status()),
            "policy.intent BAD_POLICY");
  wire.mutable_intent()->mutable_manual();
  EXPECT_EQ(Refusal(ChangeFromProto(wire, MaskOf({"intent"})).status()), "policy.intent BAD_MASK");
  wire.mutable_intent()->mutable_target_risk()->set_risk(0.02);
  AddScoreRule("energy", 1.0, wire);
  EXPECT_EQ(Refusal(ChangeFromProto(wire, {}).status()), "policy.rules BAD_MASK");
}

TEST(PolicyConversionTest, BadRules_NameTheirField) {
  v1::Policy wire;
  AddScoreRule("entropy", 0.4, wire);
  EXPECT_EQ(Refusal(ChangeFromProto(wire, {}).status()),
            "policy.rules[0].score.score_name BAD_POLICY");
  wire.clear_rules();
  wire.add_rules();
  EXPECT_EQ(Refusal(ChangeFromProto(wire, {}).status()), "policy.rules[0] BAD_POLICY");
  wire.clear_rules();
  for (int i = 0; i < 17; ++i) AddScoreRule("energy", 0.4, wire);
  EXPECT_EQ(Refusal(ChangeFromProto(wire, {}).status()), "policy.rules BAD_POLICY");
  wire.clear_rules();
  for (int i = 0; i < 2; ++i) wire.add_rules()->mutable_conformal_set()->set_max_size(1);
  EXPECT_EQ(Refusal(ChangeFromProto(wire, {}).status()),
            "policy.rules[1].conformal_set BAD_POLICY");
}

TEST(PolicyConversionTest, Preview_TakesRulesOrATarget) {
  v1::PreviewPolicyRequest request;
  EXPECT_FALSE(ChangeFromProto(request).ok());
  request.add_rules()->mutable_classes()->add_never_predict(2);
  EXPECT_TRUE(ChangeFromProto(request).ok());
  request.mutable_intent()->mutable_target_coverage()->set_coverage(0.5);
  EXPECT_EQ(Refusal(ChangeFromProto(request).status()), "rules BAD_MASK");
  request.clear_rules();
  EXPECT_TRUE(ChangeFromProto(request).ok());
}

TEST(WithPathPrefixTest, DomainPaths_GetTheirPlaceInTheRequest) {
  const absl::Status status = base::WithFieldViolations(
      absl::InvalidArgumentError("x"), {{"rules[0].score.threshold", "y"}, {"policy.etag", "z"}});
  const auto violations = base::FieldViolationsOf(WithPathPrefix(status, "policy."));
  EXPECT_EQ(violations[0].path, "policy.rules[0].score.threshold");
  EXPECT_EQ(violations[1].path, "policy.etag");
}

TEST(PolicyConversionTest, Preview_ShowsCutsAndLiveTraffic) {
  policy::Preview preview{.policy = FullPolicy(), .n = 1000, .delta = 0.05};
  preview.certified.emplace();
  preview.certified->below = uncertainty::CutFacts{.threshold = 0.1, .risk_bound = 1.0};
  preview.certified->above = uncertainty::CutFacts{
      .threshold = 0.2, .accepted = 10, .errors = 1, .empirical_risk = 0.1, .risk_bound = 0.3};
  preview.live = policy::LivePreview{.samples = 4, .coverage = 0.5, .flipped = 0.25};
  const v1::PreviewPolicyResponse wire = ToProto(preview);
  EXPECT_FALSE(wire.has_certified());
  EXPECT_FALSE(wire.certified_below().has_selective_risk());
  EXPECT_EQ(wire.certified_above().selective_risk(), 0.1);
  EXPECT_EQ(wire.certified_above().selective_risk_upper(), 0.3);
  EXPECT_EQ(wire.certified_above().n(), 1000u);
  EXPECT_EQ(wire.live().flipped(), 0.25);
}

}  // namespace
}  // namespace hydra::rpc
