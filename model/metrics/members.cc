#include "model/metrics/members.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"

namespace hydra::metrics {
namespace {

constexpr double kSmallestProbability = 1e-12;

double KullbackLeibler(absl::Span<const float> p, absl::Span<const float> q) {
  double sum = 0.0;
  for (size_t c = 0; c < p.size(); ++c) {
    const double from = std::max<double>(p[c], kSmallestProbability);
    const double to = std::max<double>(q[c], kSmallestProbability);
    sum += from * std::log(from / to);
  }
  return sum;
}

double PairwiseKl(const uncertainty::Answer& answer) {
  const size_t classes = answer.mean_probs.size();
  const size_t members = answer.member_probs.size() / classes;
  const absl::Span<const float> probs(answer.member_probs);
  double sum = 0.0;
  for (size_t i = 0; i < members; ++i) {
    for (size_t j = 0; j < members; ++j) {
      sum +=
          KullbackLeibler(probs.subspan(i * classes, classes), probs.subspan(j * classes, classes));
    }
  }
  return sum / static_cast<double>(members * (members - 1));
}

}  // namespace

absl::StatusOr<MemberComparison> CompareMembers(absl::Span<const uncertainty::Answer> answers) {
  if (answers.empty()) return absl::InvalidArgumentError("member comparison: got no row");
  MemberComparison comparison{.n = answers.size()};
  const double n = static_cast<double>(answers.size());
  for (const uncertainty::Answer& answer : answers) {
    const uncertainty::UncertaintySplit& split = answer.split;
    if (!split.epistemic_nats || !split.disagreement || !split.variation_ratio) {
      return absl::FailedPreconditionError("member comparison: there is only one member");
    }
    comparison.mutual_information += *split.epistemic_nats / n;
    comparison.disagreement += *split.disagreement / n;
    comparison.variation_ratio += *split.variation_ratio / n;
    comparison.pairwise_kl += PairwiseKl(answer) / n;
  }
  return comparison;
}

}  // namespace hydra::metrics
