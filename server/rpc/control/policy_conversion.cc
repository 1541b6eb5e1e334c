#include "server/rpc/control/policy_conversion.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "server/rpc/wire/enum_conversion.h"
#include "server/rpc/wire/request_check.h"

namespace hydra::rpc {
namespace {

constexpr int kMaxRules = 16;
constexpr char kBadMask[] = "BAD_MASK";
constexpr char kBadPolicy[] = "BAD_POLICY";

std::string ScoreText(uncertainty::Score score) {
  return std::string(uncertainty::ScoreName(score));
}

absl::StatusOr<uncertainty::Score> ScoreFromText(const std::string& name, absl::string_view path) {
  const absl::StatusOr<uncertainty::Score> score = uncertainty::ParseScore(name);
  if (!score.ok()) return WrongField(path, kBadPolicy, score.status().message());
  return score;
}

absl::StatusOr<std::optional<uncertainty::Score>> OptionalScore(const std::string& name,
                                                                absl::string_view path) {
  if (name.empty()) return std::optional<uncertainty::Score>();
  HYDRA_ASSIGN_OR_RETURN(const uncertainty::Score score, ScoreFromText(name, path));
  return std::optional<uncertainty::Score>(score);
}

absl::Status AddRule(const v1::PolicyRule& rule, const std::string& path, policy::Rules& rules) {
  switch (rule.rule_case()) {
    case v1::PolicyRule::kScore: {
      HYDRA_ASSIGN_OR_RETURN(
          const uncertainty::Score score,
          ScoreFromText(rule.score().score_name(), absl::StrCat(path, ".score.score_name")));
      rules.scores.push_back({.score = score, .threshold = rule.score().threshold()});
      return absl::OkStatus();
    }
    case v1::PolicyRule::kConformalSet:
      if (rules.conformal_set) {
        return WrongField(absl::StrCat(path, ".conformal_set"), kBadPolicy, "is given twice");
      }
      rules.conformal_set.emplace();
      rules.conformal_set->max_size = rule.conformal_set().max_size();
      if (rule.conformal_set().alpha() != 0.0) {
        rules.conformal_set->alpha = rule.conformal_set().alpha();
      }
      return absl::OkStatus();
    case v1::PolicyRule::kClasses:
      if (!rules.never_predict.empty()) {
        return WrongField(absl::StrCat(path, ".classes"), kBadPolicy, "is given twice");
      }
      rules.never_predict.assign(rule.classes().never_predict().begin(),
                                 rule.classes().never_predict().end());
      std::sort(rules.never_predict.begin(), rules.never_predict.end());
      return absl::OkStatus();
    case v1::PolicyRule::RULE_NOT_SET:
      break;
  }
  return WrongField(path, kBadPolicy, "want one of score, conformal_set and classes");
}

void RulesToProto(const policy::Rules& rules, v1::Policy& out) {
  for (const uncertainty::Rule& rule : rules.scores) {
    v1::ScoreRule& score = *out.add_rules()->mutable_score();
    score.set_score_name(ScoreText(rule.score));
    score.set_threshold(rule.threshold);
  }
  if (rules.conformal_set) {
    v1::ConformalSetRule& set = *out.add_rules()->mutable_conformal_set();
    set.set_max_size(static_cast<uint32_t>(rules.conformal_set->max_size));
    set.set_alpha(rules.conformal_set->alpha.value_or(0.0));
  }
  if (rules.never_predict.empty()) return;
  v1::ClassRule& classes = *out.add_rules()->mutable_classes();
  for (const size_t index : rules.never_predict) {
    classes.add_never_predict(static_cast<uint32_t>(index));
  }
}

void IntentToProto(const policy::Intent& intent, v1::PolicyIntent& out) {
  if (const auto* risk = std::get_if<policy::TargetRisk>(&intent)) {
    out.mutable_target_risk()->set_risk(risk->risk);
    out.mutable_target_risk()->set_delta(risk->delta);
    if (risk->score) out.mutable_target_risk()->set_score_name(ScoreText(*risk->score));
  } else if (const auto* coverage = std::get_if<policy::TargetCoverage>(&intent)) {
    out.mutable_target_coverage()->set_coverage(coverage->coverage);
    if (coverage->score) out.mutable_target_coverage()->set_score_name(ScoreText(*coverage->score));
  } else {
    out.mutable_manual();
  }
}

void CertificateToProto(const policy::Certificate& certificate, v1::Certificate& out) {
  out.set_state(ToProto(certificate.state));
  out.set_state_reason(certificate.reason);
  if (certificate.risk_bound) out.set_risk_bound(*certificate.risk_bound);
  if (certificate.delta) out.set_delta(*certificate.delta);
  if (certificate.coverage) out.set_coverage(*certificate.coverage);
  out.set_n(certificate.n);
  out.set_dtype(certificate.dtype);
  out.set_population(certificate.population);
}

void CutToProto(const uncertainty::CutFacts& cut, const policy::Preview& preview,
                v1::CertifiedPreview& out) {
  out.set_n(preview.n);
  out.set_accepted(cut.accepted);
  out.set_errors(cut.errors);
  out.set_coverage(cut.coverage);
  if (cut.accepted > 0) out.set_selective_risk(cut.empirical_risk);
  out.set_selective_risk_upper(cut.risk_bound);
  out.set_delta(preview.delta);
  out.set_threshold(cut.threshold);
}

struct MaskedFields {
  bool rules = false;
  bool intent = false;
};

absl::StatusOr<MaskedFields> ReadMask(const v1::Policy& policy,
                                      const google::protobuf::FieldMask& mask) {
  if (mask.paths_size() == 0) {
    return MaskedFields{.rules = policy.rules_size() > 0, .intent = policy.has_intent()};
  }
  MaskedFields fields;
  for (int i = 0; i < mask.paths_size(); ++i) {
    const std::string& path = mask.paths(i);
    if (path == "rules") {
      fields.rules = true;
    } else if (path == "intent" || path == "intent.manual" || path == "intent.target_risk" ||
               path == "intent.target_coverage") {
      fields.intent = true;
    } else {
      return WrongField(absl::StrCat("update_mask.paths[", i, "]"), kBadMask,
                        absl::StrCat("got \"", path, "\", want rules or intent"));
    }
  }
  return fields;
}

absl::StatusOr<policy::Change> MakeChange(
    const google::protobuf::RepeatedPtrField<v1::PolicyRule>& rules, const v1::PolicyIntent& intent,
    MaskedFields fields, absl::string_view prefix) {
  if (!fields.rules && !fields.intent) {
    return WrongField("update_mask", kBadMask, "nothing to change, want rules or an intent");
  }
  policy::Change change;
  if (fields.intent) {
    HYDRA_ASSIGN_OR_RETURN(change.intent, IntentFromProto(intent, prefix));
  }
  const bool manual = std::holds_alternative<policy::Manual>(change.intent);
  if (fields.rules && !manual) {
    return WrongField(absl::StrCat(prefix, "rules"), kBadMask,
                      "a target makes the rules, so that both cannot be set at once");
  }
  if (manual && !fields.rules) {
    return WrongField(absl::StrCat(prefix, "intent"), kBadMask, "a manual intent needs rules");
  }
  if (manual) {
    HYDRA_ASSIGN_OR_RETURN(change.rules, RulesFromProto(rules, prefix));
  }
  return change;
}

}  // namespace

absl::StatusOr<policy::Rules> RulesFromProto(
    const google::protobuf::RepeatedPtrField<v1::PolicyRule>& rules, absl::string_view prefix) {
  if (rules.size() > kMaxRules) {
    return WrongField(absl::StrCat(prefix, "rules"), kBadPolicy,
                      absl::StrCat("got ", rules.size(), ", want at most ", kMaxRules));
  }
  policy::Rules out;
  for (int i = 0; i < rules.size(); ++i) {
    HYDRA_RETURN_IF_ERROR(AddRule(rules[i], absl::StrCat(prefix, "rules[", i, "]"), out));
  }
  return out;
}

absl::StatusOr<policy::Intent> IntentFromProto(const v1::PolicyIntent& intent,
                                               absl::string_view prefix) {
  switch (intent.intent_case()) {
    case v1::PolicyIntent::kManual:
      return policy::Manual{};
    case v1::PolicyIntent::kTargetRisk: {
      policy::TargetRisk target{.risk = intent.target_risk().risk()};
      if (intent.target_risk().delta() != 0.0) target.delta = intent.target_risk().delta();
      HYDRA_ASSIGN_OR_RETURN(target.score,
                             OptionalScore(intent.target_risk().score_name(),
                                           absl::StrCat(prefix, "intent.target_risk.score_name")));
      return target;
    }
    case v1::PolicyIntent::kTargetCoverage: {
      policy::TargetCoverage target{.coverage = intent.target_coverage().coverage()};
      HYDRA_ASSIGN_OR_RETURN(
          target.score, OptionalScore(intent.target_coverage().score_name(),
                                      absl::StrCat(prefix, "intent.target_coverage.score_name")));
      return target;
    }
    case v1::PolicyIntent::INTENT_NOT_SET:
      break;
  }
  return WrongField(absl::StrCat(prefix, "intent"), kBadPolicy,
                    "want one of manual, target_risk and target_coverage");
}

absl::StatusOr<policy::Change> ChangeFromProto(const v1::Policy& policy,
                                               const google::protobuf::FieldMask& mask) {
  HYDRA_ASSIGN_OR_RETURN(const MaskedFields fields, ReadMask(policy, mask));
  return MakeChange(policy.rules(), policy.intent(), fields, "policy.");
}

absl::StatusOr<policy::Change> ChangeFromProto(const v1::PreviewPolicyRequest& request) {
  return MakeChange(request.rules(), request.intent(),
                    {.rules = request.rules_size() > 0, .intent = request.has_intent()}, "");
}

absl::Status WithPathPrefix(const absl::Status& status, absl::string_view prefix) {
  std::vector<base::FieldViolation> violations = base::FieldViolationsOf(status);
  for (base::FieldViolation& violation : violations) {
    if (!absl::StartsWith(violation.path, prefix)) {
      violation.path = absl::StrCat(prefix, violation.path);
    }
  }
  return base::WithFieldViolations(status, violations);
}

v1::Policy ToProto(const policy::Policy& policy) {
  v1::Policy out;
  RulesToProto(policy.rules, out);
  IntentToProto(policy.intent, *out.mutable_intent());
  CertificateToProto(policy.certificate, *out.mutable_certificate());
  out.set_revision(policy.revision);
  out.set_etag(policy::EtagOf(policy));
  out.set_bundle_digest(policy.bundle_digest);
  const int64_t nanos = absl::ToUnixNanos(policy.updated);
  constexpr int64_t kNanosPerSecond = 1'000'000'000;
  out.mutable_update_time()->set_seconds(nanos / kNanosPerSecond);
  out.mutable_update_time()->set_nanos(static_cast<int32_t>(nanos % kNanosPerSecond));
  out.set_updated_by(policy.updated_by);
  return out;
}

v1::PreviewPolicyResponse ToProto(const policy::Preview& preview) {
  v1::PreviewPolicyResponse out;
  *out.mutable_policy() = ToProto(preview.policy);
  if (preview.certified) {
    const uncertainty::ThresholdFacts& facts = *preview.certified;
    if (facts.declared) CutToProto(*facts.declared, preview, *out.mutable_certified());
    if (facts.below) CutToProto(*facts.below, preview, *out.mutable_certified_below());
    if (facts.above) CutToProto(*facts.above, preview, *out.mutable_certified_above());
  }
  if (preview.live) {
    out.mutable_live()->set_samples(preview.live->samples);
    out.mutable_live()->set_coverage(preview.live->coverage);
    out.mutable_live()->set_active_coverage(preview.live->active_coverage);
    out.mutable_live()->set_flipped(preview.live->flipped);
  }
  return out;
}

}  // namespace hydra::rpc
