// The one temperature of an ensemble.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/ensemble_shape.h"

namespace hydra::calibration {

inline constexpr double kMinTemperature = 0.05;
inline constexpr double kMaxTemperature = 20.0;

struct TemperatureFit {
  double temperature = 1.0;
  double nll_before = 0.0;  // nats, at T = 1
  double nll_after = 0.0;   // nats, at `temperature`
  bool at_bound = false;    // the minimum lies at or beyond an end of the searched range
};

// NLL(T) = -mean_b log( (1/M) sum_m softmax(z_mb / T)[y_b] ): temperature scaling (Guo et al. 2017)
// with one T on the member logits and the loss of the averaged prediction.  Computed from
// log-probabilities, so finite for finite logits.
// Errors: INVALID_ARGUMENT wrong sizes, no row, a label that is not a class, a logit that is not
// finite, or T not positive and finite.
absl::StatusOr<double> EnsembleNll(absl::Span<const float> member_logits,
                                   uncertainty::EnsembleShape shape,
                                   absl::Span<const size_t> labels, double temperature);

// argmin NLL(T) over T in [kMinTemperature, kMaxTemperature]: a grid in log T, since the NLL of a
// mean over members may have several minima, then golden section around the best point.
// `member_logits`: [M, B, C] row-major; `labels`: [B].  Errors: as EnsembleNll.
absl::StatusOr<TemperatureFit> FitTemperature(absl::Span<const float> member_logits,
                                              uncertainty::EnsembleShape shape,
                                              absl::Span<const size_t> labels);

}  // namespace hydra::calibration
