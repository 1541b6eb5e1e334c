#include "server/policy/rules_check.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/decision.h"
#include "server/policy/judge.h"

namespace hydra::policy {
namespace {

absl::Status CheckScoreRules(const Rules& rules, size_t members) {
  for (size_t i = 0; i < rules.scores.size(); ++i) {
    const double threshold = rules.scores[i].threshold;
    if (!std::isfinite(threshold)) {
      return BadPolicy(absl::StrCat("rules[", i, "].score.threshold"),
                       absl::StrCat("got ", threshold, ", want a finite number"));
    }
  }
  const absl::Status status = uncertainty::CheckRules(rules.scores, members);
  if (!status.ok()) return BadPolicy("rules", status.message());
  return absl::OkStatus();
}

absl::Status CheckConformalSet(const ConformalSetRule& rule, const ServedBundle& bundle) {
  const size_t classes = bundle.manifest.geometry.classes;
  if (rule.max_size < 1 || rule.max_size > classes) {
    return BadPolicy("rules.conformal_set.max_size",
                     absl::StrCat("got ", rule.max_size, ", want 1..", classes));
  }
  if (!FindQuantile(bundle.calibration, rule.alpha)) {
    return BadPolicy(
        "rules.conformal_set.alpha",
        rule.alpha ? absl::StrCat("got ", *rule.alpha, ", which the bundle was not calibrated for")
                   : "the bundle has no conformal quantile");
  }
  return absl::OkStatus();
}

absl::Status CheckClasses(const std::vector<size_t>& classes, size_t count) {
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] >= count || (i > 0 && classes[i] <= classes[i - 1])) {
      return BadPolicy(absl::StrCat("rules.classes.never_predict[", i, "]"),
                       absl::StrCat("got ", classes[i], ", want ascending classes 0..", count - 1));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status BadPolicy(absl::string_view field, absl::string_view problem) {
  return base::WithFieldViolations(
      base::WithReason(absl::InvalidArgumentError(absl::StrCat(field, ": ", problem)),
                       "BAD_POLICY"),
      {{std::string(field), std::string(problem)}});
}

absl::Status CheckRules(const Rules& rules, const ServedBundle& bundle) {
  HYDRA_RETURN_IF_ERROR(CheckScoreRules(rules, bundle.manifest.members));
  if (rules.conformal_set) {
    HYDRA_RETURN_IF_ERROR(CheckConformalSet(*rules.conformal_set, bundle));
  }
  return CheckClasses(rules.never_predict, bundle.manifest.geometry.classes);
}

}  // namespace hydra::policy
