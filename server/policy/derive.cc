#include "server/policy/derive.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/certificate.h"
#include "server/policy/rules_check.h"

namespace hydra::policy {
namespace {

bool InOpenInterval(double value) { return value > 0.0 && value < 1.0; }

absl::StatusOr<uncertainty::Score> ChosenScore(const std::optional<uncertainty::Score>& asked,
                                               absl::string_view field,
                                               const ServedBundle& bundle) {
  if (!asked) return DefaultScore(bundle);
  if (bundle.manifest.members == 1 && uncertainty::ComparesMembers(*asked)) {
    return BadPolicy(field, absl::StrCat("got ", uncertainty::ScoreName(*asked),
                                         ", which is unset for a bundle of one member"));
  }
  return *asked;
}

Derived FromCut(uncertainty::Score score, const uncertainty::CutFacts& cut, double delta,
                const artifact::CertificateTable& table) {
  Derived derived;
  derived.rules.scores = {{.score = score, .threshold = cut.threshold}};
  derived.certificate = {.state = CertificateState::kValid,
                         .risk_bound = cut.risk_bound,
                         .delta = delta,
                         .coverage = cut.coverage,
                         .n = table.n,
                         .dtype = table.dtype,
                         .population = table.population};
  return derived;
}

absl::Status Infeasible(const uncertainty::CutSearch& search,
                        const artifact::CertificateTable& table) {
  absl::Status status =
      base::WithReason(absl::FailedPreconditionError(search.explanation), "TARGET_INFEASIBLE");
  status = base::WithMetadata(std::move(status), "score_name", table.score);
  status = base::WithMetadata(std::move(status), "n", absl::StrCat(table.n));
  if (search.rows_needed) {
    status = base::WithMetadata(std::move(status), "n_needed", absl::StrCat(*search.rows_needed));
  }
  return status;
}

// The table was checked when the bundle was opened; what still fails is the bundle's fault.
absl::Status BundleFault(const absl::Status& status) {
  return base::WithReason(
      absl::FailedPreconditionError(absl::StrCat("calibration.json: ", status.message())),
      "BAD_CERTIFICATE_TABLE");
}

absl::StatusOr<Derived> DeriveManual(const Rules& rules, const ServedBundle& bundle) {
  HYDRA_RETURN_IF_ERROR(CheckRules(rules, bundle));
  Derived derived{.rules = rules};
  derived.certificate.reason = rules.empty() ? "no rules" : "rules set by hand";
  return derived;
}

absl::StatusOr<Derived> DeriveRisk(const TargetRisk& target, const ServedBundle& bundle) {
  if (!InOpenInterval(target.risk)) {
    return BadPolicy("intent.target_risk.risk",
                     absl::StrCat("got ", target.risk, ", want above 0 and below 1"));
  }
  if (!InOpenInterval(target.delta)) {
    return BadPolicy("intent.target_risk.delta",
                     absl::StrCat("got ", target.delta, ", want above 0 and below 1"));
  }
  HYDRA_ASSIGN_OR_RETURN(const uncertainty::Score score,
                         ChosenScore(target.score, "intent.target_risk.score_name", bundle));
  HYDRA_ASSIGN_OR_RETURN(const artifact::CertificateTable table, FindTable(score, bundle));
  const auto search = uncertainty::FindCutForRisk(table, target.risk, target.delta);
  if (!search.ok()) return BundleFault(search.status());
  if (!search->cut) return Infeasible(*search, table);
  return FromCut(score, *search->cut, target.delta, table);
}

absl::StatusOr<Derived> DeriveCoverage(const TargetCoverage& target, const ServedBundle& bundle) {
  if (!(target.coverage > 0.0 && target.coverage <= 1.0)) {
    return BadPolicy("intent.target_coverage.coverage",
                     absl::StrCat("got ", target.coverage, ", want above 0 and at most 1"));
  }
  HYDRA_ASSIGN_OR_RETURN(const uncertainty::Score score,
                         ChosenScore(target.score, "intent.target_coverage.score_name", bundle));
  HYDRA_ASSIGN_OR_RETURN(const artifact::CertificateTable table, FindTable(score, bundle));
  const auto search = uncertainty::FindCutForCoverage(table, target.coverage, table.delta);
  if (!search.ok()) return BundleFault(search.status());
  if (!search->cut) return Infeasible(*search, table);
  return FromCut(score, *search->cut, table.delta, table);
}

}  // namespace

absl::StatusOr<uncertainty::Score> DefaultScore(const ServedBundle& bundle) {
  const auto score = uncertainty::ParseScore(bundle.calibration.default_score);
  if (score.ok()) return *score;
  return absl::FailedPreconditionError(
      absl::StrCat("calibration.json: default_score: ", score.status().message()));
}

absl::StatusOr<artifact::CertificateTable> FindTable(uncertainty::Score score,
                                                     const ServedBundle& bundle) {
  const absl::string_view name = uncertainty::ScoreName(score);
  for (const artifact::CertificateTable& table : bundle.calibration.certificates) {
    if (table.score == name && table.dtype == bundle.serving_dtype) return table;
  }
  absl::Status status = base::WithReason(
      absl::FailedPreconditionError(absl::StrCat("the bundle has no certificate table of ", name,
                                                 " for ", bundle.serving_dtype)),
      "NO_CERTIFICATE");
  status = base::WithMetadata(std::move(status), "score_name", name);
  return base::WithMetadata(std::move(status), "dtype", bundle.serving_dtype);
}

absl::StatusOr<Derived> Derive(const Change& change, const ServedBundle& bundle) {
  if (const auto* risk = std::get_if<TargetRisk>(&change.intent)) {
    return DeriveRisk(*risk, bundle);
  }
  if (const auto* coverage = std::get_if<TargetCoverage>(&change.intent)) {
    return DeriveCoverage(*coverage, bundle);
  }
  return DeriveManual(change.rules, bundle);
}

Certificate Recertify(const Policy& policy, const ServedBundle& bundle) {
  const absl::StatusOr<Derived> derived =
      Derive({.rules = policy.rules, .intent = policy.intent}, bundle);
  if (derived.ok() && derived->rules == policy.rules) return derived->certificate;
  if (derived.ok()) return {.reason = "the rules differ from what the target gives"};
  Certificate certificate = policy.certificate;
  certificate.state = CertificateState::kStale;
  certificate.reason = std::string(derived.status().message());
  return certificate;
}

}  // namespace hydra::policy
