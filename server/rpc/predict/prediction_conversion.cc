#include "server/rpc/predict/prediction_conversion.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "model/base/check.h"
#include "model/uncertainty/split.h"
#include "server/rpc/wire/enum_conversion.h"

namespace hydra::rpc {
namespace {

using Labels = std::vector<std::string>;

void FillClass(absl::Span<const float> probs, size_t index, const Labels& labels,
               v1::ClassProbability& out) {
  out.set_label(labels[index]);
  out.set_index(static_cast<uint32_t>(index));
  out.set_probability(probs[index]);
}

void FillTop(absl::Span<const float> probs, size_t top_k, const Labels& labels,
             v1::Prediction& out) {
  std::vector<size_t> order(probs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top_k), order.end(),
      [probs](size_t a, size_t b) { return probs[a] != probs[b] ? probs[a] > probs[b] : a < b; });
  for (size_t k = 0; k < top_k; ++k) FillClass(probs, order[k], labels, *out.add_top());
}

void FillUncertainty(const uncertainty::Answer& answer, v1::Uncertainty& out) {
  const uncertainty::UncertaintySplit& split = answer.split;
  out.set_total_nats(split.total_nats);
  out.set_aleatoric_nats(split.aleatoric_nats);
  if (split.epistemic_nats) out.set_epistemic_nats(*split.epistemic_nats);
  if (split.disagreement) out.set_disagreement(*split.disagreement);
  if (split.variation_ratio) out.set_variation_ratio(*split.variation_ratio);
  out.set_confidence(split.confidence);
  out.set_energy(answer.energy);
}

void FillDecision(const uncertainty::Decision& decision, const policy::Rules& rules,
                  v1::Decision& out) {
  const bool abstained = decision.outcome == uncertainty::Outcome::kAbstained;
  out.set_outcome(abstained ? v1::DECISION_OUTCOME_ABSTAINED : v1::DECISION_OUTCOME_PREDICTED);
  if (decision.reason) out.set_reason(ToProto(*decision.reason));
  if (!decision.rule) return;
  out.set_score_name(std::string(uncertainty::ScoreName(rules.scores[*decision.rule].score)));
  if (decision.score) out.set_score(*decision.score);
  out.set_threshold(decision.threshold);
}

void FillMembers(const uncertainty::Answer& answer, size_t members, const Labels& labels,
                 v1::Prediction& out) {
  const size_t classes = answer.mean_probs.size();
  // Each member as an ensemble of one, for its entropy and first class.  The rows were checked when
  // the answer was made.
  const auto shape = uncertainty::EnsembleShape::Create(1, members, classes);
  HYDRA_CHECK(shape.ok());
  const auto splits = uncertainty::SplitUncertainty(answer.member_probs, *shape);
  HYDRA_CHECK(splits.ok());
  for (size_t m = 0; m < members; ++m) {
    const auto probs = absl::MakeConstSpan(answer.member_probs).subspan(m * classes, classes);
    v1::MemberPrediction& member = *out.add_members();
    member.set_member(static_cast<uint32_t>(m));
    FillClass(probs, (*splits)[m].predicted_class, labels, *member.mutable_top());
    member.mutable_probabilities()->Add(probs.begin(), probs.end());
    member.set_entropy_nats((*splits)[m].total_nats);
  }
}

void SetDuration(absl::Duration value, google::protobuf::Duration& out) {
  absl::Duration rest = std::max(value, absl::ZeroDuration());
  out.set_seconds(absl::IDivDuration(rest, absl::Seconds(1), &rest));
  out.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
}

}  // namespace

v1::Prediction MakePrediction(const AnsweredRow& row, const PredictPlan& plan) {
  const policy::ServedBundle& bundle = *plan.snapshot->bundle;
  const bool withheld =
      plan.withhold_on_abstain && row.decision.outcome == uncertainty::Outcome::kAbstained;
  v1::Prediction prediction;
  if (!withheld) FillTop(row.answer.mean_probs, plan.top_k, bundle.labels, prediction);
  prediction.set_truncated_tokens(static_cast<uint32_t>(row.truncated_tokens));
  FillUncertainty(row.answer, *prediction.mutable_uncertainty());
  FillDecision(row.decision, plan.snapshot->policy.rules, *prediction.mutable_decision());
  if (plan.quantile) {
    for (const size_t index : row.conformal_sets[*plan.quantile]) {
      FillClass(row.answer.mean_probs, index, bundle.labels, *prediction.add_conformal_set());
    }
  }
  if (plan.return_members && !withheld) {
    FillMembers(row.answer, bundle.manifest.members, bundle.labels, prediction);
  }
  return prediction;
}

v1::Timings MakeTimings(const CallTimings& timings) {
  v1::Timings out;
  SetDuration(timings.decode, *out.mutable_decode());
  SetDuration(timings.job.queue, *out.mutable_queue());
  SetDuration(timings.job.batch, *out.mutable_batch());
  SetDuration(timings.job.compute, *out.mutable_compute());
  SetDuration(timings.total, *out.mutable_total());
  return out;
}

}  // namespace hydra::rpc
