#include "server/policy/judge.h"

#include <algorithm>

namespace hydra::policy {
namespace {

uncertainty::Decision Abstain(uncertainty::AbstentionReason reason) {
  return {.outcome = uncertainty::Outcome::kAbstained, .reason = reason};
}

// A rule whose set is not known never accepts.
bool SetTooLarge(const ConformalSetRule& rule, absl::Span<const size_t> set_sizes,
                 const artifact::Calibration& calibration) {
  const std::optional<size_t> quantile = FindQuantile(calibration, rule.alpha);
  return !quantile || *quantile >= set_sizes.size() || set_sizes[*quantile] > rule.max_size;
}

}  // namespace

std::optional<size_t> FindQuantile(const artifact::Calibration& calibration,
                                   std::optional<double> alpha) {
  for (size_t q = 0; q < calibration.conformal.size(); ++q) {
    if (!alpha || *alpha == calibration.conformal[q].alpha) return q;
  }
  return std::nullopt;
}

uncertainty::Decision Judge(const Rules& rules, const uncertainty::Answer& answer,
                            absl::Span<const size_t> set_sizes,
                            const artifact::Calibration& calibration) {
  uncertainty::Decision decision = uncertainty::Decide(answer, rules.scores);
  if (decision.outcome == uncertainty::Outcome::kAbstained) return decision;
  if (rules.conformal_set && SetTooLarge(*rules.conformal_set, set_sizes, calibration)) {
    return Abstain(uncertainty::AbstentionReason::kConformalSet);
  }
  if (std::binary_search(rules.never_predict.begin(), rules.never_predict.end(),
                         answer.split.predicted_class)) {
    return Abstain(uncertainty::AbstentionReason::kPolicyClass);
  }
  return decision;
}

}  // namespace hydra::policy
