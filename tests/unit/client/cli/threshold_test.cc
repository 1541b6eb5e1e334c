#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/cli/run_cli.h"

namespace hydra::cli {
namespace {

using ::testing::HasSubstr;

v1::Policy SomePolicy() {
  v1::Policy policy;
  v1::ScoreRule& rule = *policy.add_rules()->mutable_score();
  rule.set_score_name("mutual_information");
  rule.set_threshold(0.123456789);
  v1::TargetRiskIntent& target = *policy.mutable_intent()->mutable_target_risk();
  target.set_risk(0.02);
  target.set_delta(0.05);
  target.set_score_name("mutual_information");
  v1::Certificate& certificate = *policy.mutable_certificate();
  certificate.set_state(v1::CERTIFICATE_STATE_VALID);
  certificate.set_risk_bound(0.02);
  certificate.set_delta(0.05);
  certificate.set_coverage(0.831);
  certificate.set_n(3000);
  certificate.set_dtype("float32");
  certificate.set_population("Fashion-MNIST certify split");
  policy.set_revision(4);
  policy.set_etag("etag-4");
  policy.set_bundle_digest("sha256:ab");
  policy.mutable_update_time()->set_seconds(1'700'000'000);
  policy.set_updated_by("admin");
  return policy;
}

class ThresholdTest : public ::testing::Test {
 protected:
  ThresholdTest() {
    connection_->get_policy = [](const v1::GetPolicyRequest&) {
      v1::GetPolicyResponse response;
      *response.mutable_policy() = SomePolicy();
      return response;
    };
    connection_->update_policy = [this](const v1::UpdatePolicyRequest& request) {
      updates_.push_back(request);
      v1::UpdatePolicyResponse response;
      *response.mutable_policy() = SomePolicy();
      response.mutable_policy()->set_revision(5);
      response.set_applied(!request.validate_only());
      return response;
    };
  }

  CliResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "threshold");
    return RunCli(arguments, connection_);
  }

  std::shared_ptr<fakes::FakeConnection> connection_ = std::make_shared<fakes::FakeConnection>();
  std::vector<v1::UpdatePolicyRequest> updates_;
};

TEST_F(ThresholdTest, Get_Policy_IsShownInFull) {
  EXPECT_EQ(Run({"get"}).out,
            "revision     4\n"
            "accepts when mutual_information <= 0.123457\n"
            "asked for    selective risk at most 2 % (delta 5 %), on mutual_information\n"
            "certificate  VALID: risk at most 2 % with confidence 95 %, coverage 83.1 %, n = 3000, "
            "float32, Fashion-MNIST certify split\n"
            "bundle       sha256:ab\n"
            "changed      2023-11-14 22:13:20 UTC by admin\n"
            "etag         etag-4\n");
}

TEST_F(ThresholdTest, Set_TargetRisk_SendsTheIntentUnderTheEtagRead) {
  const CliResult result = Run({"set", "--target-risk", "0.02", "--delta", "0.1"});
  EXPECT_EQ(result.code, ExitCode::kOk);
  EXPECT_THAT(result.out, HasSubstr("Changed from revision 4 to 5.\n"));
  ASSERT_EQ(updates_.size(), 1u);
  EXPECT_EQ(updates_[0].policy().etag(), "etag-4");
  EXPECT_DOUBLE_EQ(updates_[0].policy().intent().target_risk().risk(), 0.02);
  EXPECT_DOUBLE_EQ(updates_[0].policy().intent().target_risk().delta(), 0.1);
  EXPECT_TRUE(updates_[0].policy().rules().empty());
}

TEST_F(ThresholdTest, Set_Thresholds_SendsRulesAndNoIntent) {
  Run({"set", "--threshold", "total_entropy=0.5", "--threshold", "energy=-3.25", "--etag", "mine"});
  ASSERT_EQ(updates_.size(), 1u);
  const v1::Policy& policy = updates_[0].policy();
  ASSERT_EQ(policy.rules_size(), 2);
  EXPECT_EQ(policy.rules(1).score().score_name(), "energy");
  EXPECT_DOUBLE_EQ(policy.rules(1).score().threshold(), -3.25);
  EXPECT_FALSE(policy.has_intent());
  EXPECT_EQ(policy.etag(), "mine");
}

TEST_F(ThresholdTest, Set_ValidateOnly_SaysThatNothingChanged) {
  const CliResult result = Run({"set", "--target-coverage", "0.9", "--validate-only"});
  EXPECT_THAT(result.out, HasSubstr("Valid. Nothing was changed; revision 4 stays active.\n"));
  ASSERT_EQ(updates_.size(), 1u);
  EXPECT_TRUE(updates_[0].validate_only());
  EXPECT_DOUBLE_EQ(updates_[0].policy().intent().target_coverage().coverage(), 0.9);
}

TEST_F(ThresholdTest, Set_Preview_ChangesNothingAndShowsBothViews) {
  connection_->preview_policy = [](const v1::PreviewPolicyRequest& request) {
    EXPECT_DOUBLE_EQ(request.intent().target_risk().risk(), 0.02);
    v1::PreviewPolicyResponse response;
    response.mutable_policy()->mutable_certificate()->set_state(v1::CERTIFICATE_STATE_VOID);
    v1::CertifiedPreview& certified = *response.mutable_certified();
    certified.set_n(3000);
    certified.set_accepted(2400);
    certified.set_errors(24);
    certified.set_coverage(0.8);
    certified.set_selective_risk(0.01);
    certified.set_selective_risk_upper(0.0165);
    certified.set_delta(0.05);
    v1::LivePreview& live = *response.mutable_live();
    live.set_samples(500);
    live.set_coverage(0.75);
    live.set_active_coverage(0.7);
    live.set_flipped(0.06);
    return response;
  };
  const CliResult result = Run({"set", "--target-risk", "0.02", "--preview"});
  EXPECT_EQ(result.code, ExitCode::kOk);
  EXPECT_EQ(result.out,
            "accepts when none: everything is accepted\n"
            "asked for    rules set by hand\n"
            "certificate  VOID\n"
            "calibration  accepts 2400 of 3000 (80 %), 24 wrong\n"
            "             selective risk 1 %, at most 1.65 % with confidence 95 %\n"
            "live traffic would accept 75 % (now 70 %), flips 6 % of 500 recent answers\n"
            "\n"
            "Nothing was changed.\n");
  EXPECT_TRUE(updates_.empty());
}

TEST_F(ThresholdTest, Set_NoWishOrAMalformedOne_IsUsage) {
  EXPECT_EQ(Run({"set"}).code, ExitCode::kUsage);
  EXPECT_EQ(Run({"set", "--target-risk", "0.1", "--target-coverage", "0.9"}).code,
            ExitCode::kUsage);
  EXPECT_THAT(Run({"set", "--threshold", "energy"}).err,
              HasSubstr("--threshold: got \"energy\", want score=value"));
  EXPECT_TRUE(updates_.empty());
}

TEST_F(ThresholdTest, Revisions_Policies_AreATable) {
  connection_->list_revisions = [](const v1::ListPolicyRevisionsRequest& request) {
    EXPECT_EQ(request.page_size(), 2u);
    v1::ListPolicyRevisionsResponse response;
    *response.add_policies() = SomePolicy();
    response.add_policies()->set_revision(1);
    response.mutable_policies(1)->mutable_certificate()->set_state(v1::CERTIFICATE_STATE_VOID);
    return response;
  };
  EXPECT_EQ(
      Run({"revisions", "--count", "2"}).out,
      "revision  changed                  by     certificate  accepts when                    "
      "asked for\n"
      "--------  -----------------------  -----  -----------  ------------------------------  "
      "-------------------------------------------------------------\n"
      "       4  2023-11-14 22:13:20 UTC  admin  VALID        mutual_information <= 0.123457  "
      "selective risk at most 2 % (delta 5 %), on mutual_information\n"
      "       1                                  VOID         none: everything is accepted    "
      "rules set by hand\n");
}

TEST_F(ThresholdTest, Rollback_Revision_SendsItUnderTheEtagRead) {
  v1::RollbackPolicyRequest sent;
  connection_->rollback_policy = [&](const v1::RollbackPolicyRequest& request) {
    sent = request;
    v1::RollbackPolicyResponse response;
    response.mutable_policy()->set_revision(5);
    response.set_applied(true);
    return response;
  };
  EXPECT_THAT(Run({"rollback", "--revision", "2"}).out, HasSubstr("from revision 4 to 5"));
  EXPECT_EQ(sent.revision(), 2u);
  EXPECT_EQ(sent.etag(), "etag-4");
}

}  // namespace
}  // namespace hydra::cli
