// Reference histograms of scores and the shift of live traffic against them.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/calibration.h"

namespace hydra::calibration {

// `bins` bins with about equal counts: edges are the score quantiles k / bins, k = 1..bins-1,
// duplicates removed, so that scores with few values get fewer bins.
// Errors: INVALID_ARGUMENT if there is no score, a score is not finite, or bins < 2.
absl::StatusOr<artifact::ReferenceHistogram> QuantileHistogram(absl::Span<const double> scores,
                                                               size_t bins);

// The bin of a score: the number of edges below it.  A score that is NaN counts as least sure, in
// the last bin.
size_t BinOf(const artifact::ReferenceHistogram& histogram, double score);

// Population stability index sum_b (q_b - p_b) ln(q_b / p_b) of live shares q against reference
// shares p, each share floored at 1e-4 (credit-scoring convention: below 0.1 stable, above 0.25
// shifted).  0 while there is no live count.
// Errors: INVALID_ARGUMENT if the lengths differ or the reference holds no count.
absl::StatusOr<double> PopulationStabilityIndex(absl::Span<const size_t> reference,
                                                absl::Span<const size_t> live);

}  // namespace hydra::calibration
