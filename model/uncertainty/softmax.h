// The project's one softmax, in float64 internally.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/ensemble_shape.h"

namespace hydra::uncertainty {

// p[m, b, c] = exp(z[m, b, c] / T) / sum_k exp(z[m, b, k] / T), shifted by the row maximum.
// `logits`: [M, B, C] row-major; T = `temperature`, one for all members.  Thread-safe.
// Errors: INVALID_ARGUMENT if logits.size() != M*B*C, T is not a positive finite number, or a logit
// is not finite.
absl::StatusOr<std::vector<float>> Softmax(absl::Span<const float> logits, EnsembleShape shape,
                                           double temperature);

// log sum_k exp(z_k / T) of one row; `row` is not empty.
double LogSumExp(absl::Span<const float> row, double temperature);

}  // namespace hydra::uncertainty
