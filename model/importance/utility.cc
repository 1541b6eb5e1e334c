#include "model/importance/utility.h"

#include <algorithm>

#include "absl/types/span.h"
#include "model/base/status_macros.h"
#include "model/metrics/detection.h"

namespace hydra::importance {
namespace {

// How unsure each row of one variant is: [N].
std::vector<double> Unsure(const std::vector<at::Tensor>& surety, size_t variant) {
  std::vector<double> scores;
  for (const at::Tensor& part : surety) {
    const at::Tensor row = part[static_cast<int64_t>(variant)].contiguous();
    for (const double value : absl::MakeConstSpan(row.data_ptr<double>(), row.numel()))
      scores.push_back(-value);
  }
  return scores;
}

std::vector<double> MinusMeans(const std::vector<at::Tensor>& parts) {
  const at::Tensor means = at::cat(parts, 1).mean(1);
  std::vector<double> utilities;
  for (int64_t v = 0; v < means.numel(); ++v) utilities.push_back(-means[v].item<double>());
  return utilities;
}

// For each value how many others are smaller, equal ones counting half.
std::vector<double> MidRanks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double rank = -0.5;  // itself
    for (const double other : values) rank += other < value ? 1.0 : other == value ? 0.5 : 0.0;
    ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace

void VariantAnswers::AddId(const at::Tensor& logits, const at::Tensor& labels) {
  const at::Tensor log_p = at::log_softmax(logits.to(at::kDouble), -1);
  const at::Tensor p = log_p.exp();
  const at::Tensor index = labels.view({1, -1, 1}).expand({p.size(0), -1, 1});
  nll_.push_back(-log_p.gather(2, index).squeeze(2));
  brier_.push_back(p.square().sum(2) - 2.0 * p.gather(2, index).squeeze(2) + 1.0);
  id_surety_.push_back(p.amax(2));
}

void VariantAnswers::AddOod(const at::Tensor& logits) {
  ood_surety_.push_back(at::softmax(logits.to(at::kDouble), -1).amax(2));
}

absl::StatusOr<double> VariantAnswers::Auroc(size_t variant) const {
  HYDRA_ASSIGN_OR_RETURN(
      const metrics::DetectionMetrics detection,
      metrics::MeasureDetection(Unsure(id_surety_, variant), Unsure(ood_surety_, variant)));
  return detection.auroc;
}

absl::StatusOr<std::vector<double>> VariantAnswers::Utilities(CircuitObjective objective) const {
  if (objective == CircuitObjective::kIdNll) return MinusMeans(nll_);
  if (objective == CircuitObjective::kBrier) return MinusMeans(brier_);
  std::vector<double> utilities;
  for (size_t v = 0; v < variants_; ++v) {
    HYDRA_ASSIGN_OR_RETURN(utilities.emplace_back(), Auroc(v));
  }
  return utilities;
}

absl::StatusOr<std::vector<double>> VariantAnswers::Drops(CircuitObjective objective) const {
  if (objective == CircuitObjective::kRankAverage) {
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> nll, Drops(CircuitObjective::kIdNll));
    HYDRA_ASSIGN_OR_RETURN(const std::vector<double> auroc, Drops(CircuitObjective::kOodAuroc));
    std::vector<double> ranks = MidRanks(nll);
    const std::vector<double> others = MidRanks(auroc);
    for (size_t i = 0; i < ranks.size(); ++i) ranks[i] = (ranks[i] + others[i]) / 2.0;
    return ranks;
  }
  HYDRA_ASSIGN_OR_RETURN(std::vector<double> drops, Utilities(objective));
  const double intact = drops.back();
  drops.pop_back();
  for (double& drop : drops) drop = intact - drop;
  return drops;
}

}  // namespace hydra::importance
