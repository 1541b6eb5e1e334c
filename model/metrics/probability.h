// How good predicted probabilities are on labelled rows.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::metrics {

struct ProbabilityMetrics {
  size_t n = 0;
  double accuracy = 0.0;   // share of rows whose argmax (lowest index among equals) is the label
  double nll = 0.0;        // -mean log p_y, nats, with p_y clamped below at 1e-12
  size_t nll_clamped = 0;  // rows whose p_y was clamped
  double brier = 0.0;      // mean_i sum_c (p_ic - [c = y_i])^2, in [0, 2] (Brier 1950; not over C)
};

// `probs`: [B, C] row-major, each row a distribution; `labels`: [B].
// Errors: INVALID_ARGUMENT if there is no row, probs.size() != B * classes, a label is not a class,
// or a probability is outside [0, 1].
absl::StatusOr<ProbabilityMetrics> MeasureProbabilities(absl::Span<const float> probs,
                                                        size_t classes,
                                                        absl::Span<const size_t> labels);

}  // namespace hydra::metrics
