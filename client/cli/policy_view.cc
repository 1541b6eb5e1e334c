#include "client/cli/policy_view.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "client/terminal/table.h"

namespace hydra::cli {
namespace {

using terminal::Printable;

std::string StateText(v1::CertificateState state) {
  return std::string(absl::StripPrefix(v1::CertificateState_Name(state), "CERTIFICATE_STATE_"));
}

std::string Percent(double share) { return absl::StrFormat("%.4g %%", 100.0 * share); }

std::string RuleText(const v1::PolicyRule& rule) {
  switch (rule.rule_case()) {
    case v1::PolicyRule::kScore:
      return absl::StrFormat("%s <= %.6g", Printable(rule.score().score_name()),
                             rule.score().threshold());
    case v1::PolicyRule::kConformalSet:
      return absl::StrFormat("conformal set of at most %d", rule.conformal_set().max_size());
    case v1::PolicyRule::kClasses:
      return absl::StrCat("never class ", absl::StrJoin(rule.classes().never_predict(), ", "));
    case v1::PolicyRule::RULE_NOT_SET:
      break;
  }
  return "unknown rule";
}

std::string OnScore(const std::string& score_name) {
  return score_name.empty() ? "" : absl::StrCat(", on ", Printable(score_name));
}

std::string IntentText(const v1::PolicyIntent& intent) {
  switch (intent.intent_case()) {
    case v1::PolicyIntent::kTargetRisk: {
      const v1::TargetRiskIntent& target = intent.target_risk();
      const std::string delta =
          target.delta() > 0.0 ? absl::StrCat(" (delta ", Percent(target.delta()), ")") : "";
      return absl::StrCat("selective risk at most ", Percent(target.risk()), delta,
                          OnScore(target.score_name()));
    }
    case v1::PolicyIntent::kTargetCoverage:
      return absl::StrCat("coverage at least ", Percent(intent.target_coverage().coverage()),
                          OnScore(intent.target_coverage().score_name()));
    default:
      return "rules set by hand";
  }
}

std::string CertificateText(const v1::Certificate& certificate) {
  std::string text = StateText(certificate.state());
  if (!certificate.state_reason().empty()) {
    absl::StrAppend(&text, " (", Printable(certificate.state_reason()), ")");
  }
  if (certificate.has_risk_bound() && certificate.has_delta()) {
    absl::StrAppend(&text, ": risk at most ", Percent(certificate.risk_bound()),
                    " with confidence ", Percent(1.0 - certificate.delta()));
  }
  if (certificate.has_coverage()) {
    absl::StrAppend(&text, ", coverage ", Percent(certificate.coverage()));
  }
  if (certificate.n() > 0) {
    absl::StrAppend(&text, ", n = ", certificate.n(), ", ", Printable(certificate.dtype()), ", ",
                    Printable(certificate.population()));
  }
  return text;
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixSeconds(time.seconds()),
                          absl::UTCTimeZone());
}

std::string Line(absl::string_view name, absl::string_view value) {
  return absl::StrFormat("%-12s %s\n", name, value);
}

}  // namespace

std::string PolicyReferenceText(const v1::PolicyReference& reference) {
  return absl::StrCat("revision ", reference.revision(), " (certificate ",
                      StateText(reference.certificate_state()), ")");
}

std::string RulesText(const v1::Policy& policy) {
  if (policy.rules().empty()) return "none: everything is accepted";
  return absl::StrJoin(policy.rules(), "; ", [](std::string* out, const v1::PolicyRule& rule) {
    absl::StrAppend(out, RuleText(rule));
  });
}

std::string PolicyText(const v1::Policy& policy) {
  std::string text;
  if (policy.revision() > 0)
    absl::StrAppend(&text, Line("revision", absl::StrCat(policy.revision())));
  absl::StrAppend(&text, Line("accepts when", RulesText(policy)),
                  Line("asked for", IntentText(policy.intent())),
                  Line("certificate", CertificateText(policy.certificate())));
  if (!policy.bundle_digest().empty()) {
    absl::StrAppend(&text, Line("bundle", Printable(policy.bundle_digest())));
  }
  if (policy.has_update_time()) {
    absl::StrAppend(&text, Line("changed", absl::StrCat(TimeText(policy.update_time()), " by ",
                                                        Printable(policy.updated_by()))));
  }
  if (!policy.etag().empty()) absl::StrAppend(&text, Line("etag", Printable(policy.etag())));
  return text;
}

std::string PreviewText(const v1::PreviewPolicyResponse& preview) {
  std::string text;
  if (preview.has_certified()) {
    const v1::CertifiedPreview& certified = preview.certified();
    absl::StrAppend(
        &text,
        Line("calibration",
             absl::StrCat("accepts ", certified.accepted(), " of ", certified.n(), " (",
                          Percent(certified.coverage()), "), ", certified.errors(), " wrong")),
        Line("", absl::StrCat("selective risk ",
                              certified.has_selective_risk() ? Percent(certified.selective_risk())
                                                             : "unknown",
                              ", at most ", Percent(certified.selective_risk_upper()),
                              " with confidence ", Percent(1.0 - certified.delta()))));
  } else {
    absl::StrAppend(&text, Line("calibration", "the bundle has no table for these rules"));
  }
  if (!preview.has_live()) return absl::StrCat(text, Line("live traffic", "none seen yet"));
  const v1::LivePreview& live = preview.live();
  return absl::StrCat(
      text, Line("live traffic",
                 absl::StrCat("would accept ", Percent(live.coverage()), " (now ",
                              Percent(live.active_coverage()), "), flips ", Percent(live.flipped()),
                              " of ", live.samples(), " recent answers")));
}

std::string RevisionsText(const std::vector<v1::Policy>& policies) {
  terminal::Table table({{"revision", terminal::Align::kRight},
                         {"changed"},
                         {"by"},
                         {"certificate"},
                         {"accepts when"},
                         {"asked for"}});
  for (const v1::Policy& policy : policies) {
    table.AddRow({absl::StrCat(policy.revision()),
                  policy.has_update_time() ? TimeText(policy.update_time()) : "",
                  policy.updated_by(), StateText(policy.certificate().state()), RulesText(policy),
                  IntentText(policy.intent())});
  }
  return table.ToString();
}

}  // namespace hydra::cli
