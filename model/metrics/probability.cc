#include "model/metrics/probability.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::metrics {
namespace {

constexpr double kSmallestProbability = 1e-12;

absl::Status CheckInput(absl::Span<const float> probs, size_t classes,
                        absl::Span<const size_t> labels) {
  if (labels.empty() || probs.size() != labels.size() * classes) {
    return absl::InvalidArgumentError(absl::StrCat("probs: got ", probs.size(), " values for ",
                                                   labels.size(), " labels, want ", classes,
                                                   " a label and at least one label"));
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= classes) {
      return absl::InvalidArgumentError(
          absl::StrCat("labels[", i, "]: got ", labels[i], ", want below ", classes));
    }
  }
  for (size_t i = 0; i < probs.size(); ++i) {
    if (!(probs[i] >= 0.0f &&
          probs[i] <= 1.0f + 1e-4f)) {  // float32 softmax may exceed 1 by an ulp
      return absl::InvalidArgumentError(
          absl::StrCat("probs[", i, "]: got ", probs[i], ", want 0..1"));
    }
  }
  return absl::OkStatus();
}

double SquaredError(absl::Span<const float> row, size_t label) {
  double sum = 0.0;
  for (size_t c = 0; c < row.size(); ++c) {
    const double error = static_cast<double>(row[c]) - (c == label ? 1.0 : 0.0);
    sum += error * error;
  }
  return sum;
}

}  // namespace

absl::StatusOr<ProbabilityMetrics> MeasureProbabilities(absl::Span<const float> probs,
                                                        size_t classes,
                                                        absl::Span<const size_t> labels) {
  HYDRA_RETURN_IF_ERROR(CheckInput(probs, classes, labels));
  ProbabilityMetrics metrics{.n = labels.size()};
  for (size_t i = 0; i < labels.size(); ++i) {
    const absl::Span<const float> row = probs.subspan(i * classes, classes);
    const size_t predicted =
        static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    const double of_label = row[labels[i]];
    metrics.accuracy += predicted == labels[i] ? 1.0 : 0.0;
    metrics.nll -= std::log(std::max(of_label, kSmallestProbability));
    metrics.nll_clamped += of_label < kSmallestProbability ? 1 : 0;
    metrics.brier += SquaredError(row, labels[i]);
  }
  const double n = static_cast<double>(metrics.n);
  metrics.accuracy /= n;
  metrics.nll /= n;
  metrics.brier /= n;
  return metrics;
}

}  // namespace hydra::metrics
