#include "server/policy/preview.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "server/policy/derive.h"
#include "server/policy/judge.h"
#include "server/policy/rules_check.h"

namespace hydra::policy {
namespace {

bool Accepts(const Rules& rules, const LiveSample& sample, const ServedBundle& bundle) {
  return Judge(rules, sample.answer, sample.set_sizes, bundle.calibration).outcome ==
         uncertainty::Outcome::kPredicted;
}

LivePreview OnLiveTraffic(const Rules& rules, const Rules& active, const ServedBundle& bundle,
                          absl::Span<const LiveSample> samples) {
  size_t accepted = 0, active_accepted = 0, flipped = 0;
  for (const LiveSample& sample : samples) {
    const bool now = Accepts(active, sample, bundle);
    const bool then = Accepts(rules, sample, bundle);
    accepted += then;
    active_accepted += now;
    flipped += now != then;
  }
  const double n = static_cast<double>(samples.size());
  return {.samples = samples.size(),
          .coverage = static_cast<double>(accepted) / n,
          .active_coverage = static_cast<double>(active_accepted) / n,
          .flipped = static_cast<double>(flipped) / n};
}

// Only one score rule alone is what a table speaks of.
bool IsSingleCut(const Rules& rules) {
  return rules.scores.size() == 1 && !rules.conformal_set && rules.never_predict.empty();
}

}  // namespace

absl::StatusOr<Preview> PreviewPolicy(Policy policy, const Policy& active,
                                      const ServedBundle& bundle,
                                      absl::Span<const LiveSample> samples, double delta) {
  if (!(delta > 0.0 && delta < 1.0)) {
    return BadPolicy("delta", absl::StrCat("got ", delta, ", want above 0 and below 1"));
  }
  Preview preview{.policy = std::move(policy), .delta = delta};
  const Rules& rules = preview.policy.rules;
  if (IsSingleCut(rules)) {
    const uncertainty::Rule& rule = rules.scores.front();
    const auto table = FindTable(rule.score, bundle);
    if (table.ok()) {
      HYDRA_ASSIGN_OR_RETURN(preview.certified,
                             uncertainty::DescribeThreshold(*table, rule.threshold, delta));
      preview.n = table->n;
    }
  }
  if (!samples.empty()) preview.live = OnLiveTraffic(rules, active.rules, bundle, samples);
  return preview;
}

}  // namespace hydra::policy
