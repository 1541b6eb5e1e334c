#include "server/policy/policy_json.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::policy {
namespace {

using ::testing::HasSubstr;
using uncertainty::Score;

Policy FullPolicy(uint64_t revision) {
  return {.rules = {.scores = {{Score::kEnergy, -1.0 / 3.0}, {Score::kTotalEntropy, 0.1}},
                    .conformal_set = ConformalSetRule{.max_size = 2, .alpha = 0.1},
                    .never_predict = {0, 2}},
          .intent = TargetRisk{.risk = 0.02, .delta = 0.01, .score = Score::kEnergy},
          .certificate = {.state = CertificateState::kStale,
                          .reason = "age",
                          .risk_bound = 0.015,
                          .delta = 0.01,
                          .coverage = 0.8,
                          .n = 1000,
                          .dtype = "float32",
                          .population = "somebody's \"data\""},
          .revision = revision,
          .bundle_digest = std::string(64, 'd'),
          .updated = absl::FromUnixNanos(1'700'000'000'123'456'789),
          .updated_by = "alice"};
}

// What a stored history says about one changed text.
std::string ErrorOf(const std::string& from, const std::string& to) {
  const std::string text = DumpHistory({FullPolicy(1), FullPolicy(2)}).value();
  const std::string changed = absl::StrReplaceAll(text, {{from, to}});
  EXPECT_TRUE(changed != text) << from;
  const auto history = ParseHistory(changed, "policy.json");
  return history.ok() ? "" : std::string(history.status().message());
}

TEST(PolicyJsonTest, History_ComesBackAsItWas) {
  const Policy policy = FullPolicy(41);
  Policy coverage = FullPolicy(42);
  coverage.intent = TargetCoverage{.coverage = 0.9};
  Policy manual = FullPolicy(43);
  manual.intent = Manual{};
  manual.rules = {};
  const History history = {policy, coverage, manual};
  const auto parsed = ParseHistory(DumpHistory(history).value(), "policy.json");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->size(), 3u);
  for (size_t i = 0; i < history.size(); ++i) {
    EXPECT_EQ((*parsed)[i].rules, history[i].rules);
    EXPECT_EQ((*parsed)[i].intent, history[i].intent);
    EXPECT_EQ((*parsed)[i].revision, history[i].revision);
    EXPECT_EQ((*parsed)[i].updated, history[i].updated);
    EXPECT_EQ(EtagOf((*parsed)[i]), EtagOf(history[i]));
  }
  EXPECT_EQ(DumpHistory(*parsed).value(), DumpHistory(history).value());
}

TEST(PolicyJsonTest, DamagedHistory_NamesFileAndField) {
  EXPECT_THAT(ErrorOf("\"updated_by\"", "\"author\""), HasSubstr("policy.json"));
  EXPECT_THAT(ErrorOf("\"energy\"", "\"enrgy\""), HasSubstr("enrgy"));
  EXPECT_THAT(ErrorOf("\"alpha\": 0.1", "\"alpha\": \"0.1\""), HasSubstr("alpha"));
  EXPECT_THAT(ErrorOf("\"risk\": 0.02", "\"risk\": 1.0"), HasSubstr("intent.risk"));
  EXPECT_THAT(ErrorOf("\"revision\": 2", "\"revision\": 1"), HasSubstr("want above 1"));
  EXPECT_THAT(ErrorOf("\"STALE\"", "\"FINE\""), HasSubstr("certificate.state"));
  EXPECT_THAT(ErrorOf("2023-11", "2023-13"), HasSubstr("updated"));
  EXPECT_THAT(ErrorOf("\"format_version\": 1", "\"format_version\": 2"),
              HasSubstr("format_version"));
  EXPECT_THAT(ErrorOf(std::string(64, 'd'), std::string(63, 'd')), HasSubstr("bundle_digest"));
}

TEST(PolicyJsonTest, TruncationAtAnyByte_IsRefused) {
  const std::string text = DumpHistory({FullPolicy(1)}).value();
  const size_t end = text.rfind('}');
  for (size_t length = 0; length <= end; ++length) {
    EXPECT_FALSE(ParseHistory(text.substr(0, length), "policy.json").ok()) << length;
  }
}

TEST(PolicyJsonTest, NoRevisions_AreRefused) {
  EXPECT_FALSE(ParseHistory(R"({"format_version": 1, "revisions": []})", "f").ok());
}

TEST(PolicyJsonTest, BundlePolicy_ReadsTargetsAndRules) {
  const auto target = ParseBundlePolicy(
      R"({"format_version": 1, "intent": {"kind": "target_risk", "risk": 0.05}})", "policy.json");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->intent, Intent(TargetRisk{.risk = 0.05, .delta = 0.05}));
  const auto manual = ParseBundlePolicy(
      R"({"format_version": 1, "intent": {"kind": "manual"},
          "rules": {"scores": [{"score": "energy", "threshold": -2}]}})",
      "policy.json");
  ASSERT_TRUE(manual.ok()) << manual.status();
  EXPECT_EQ(manual->rules.scores.front().threshold, -2.0);
  EXPECT_FALSE(ParseBundlePolicy(
                   R"({"format_version": 1, "intent": {"kind": "target_risk", "risk": 0.05},
                       "rules": {}})",
                   "policy.json")
                   .ok());
}

TEST(EtagTest, Etag_ChangesWithWhatDecides) {
  const Policy policy = FullPolicy(1);
  Policy same = policy;
  same.updated_by = "bob";
  same.certificate.state = CertificateState::kVoid;
  EXPECT_EQ(EtagOf(same), EtagOf(policy));
  Policy threshold = policy;
  threshold.rules.scores[1].threshold = 0.1000000001;
  EXPECT_NE(EtagOf(threshold), EtagOf(policy));
  EXPECT_NE(EtagOf(FullPolicy(2)), EtagOf(policy));
}

}  // namespace
}  // namespace hydra::policy
