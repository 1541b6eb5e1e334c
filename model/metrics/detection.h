// How well a score tells two groups of rows apart: out-of-distribution from in-distribution, or
// errors from correct rows.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::metrics {

// "OOD positive" counts a row over the threshold as detected (torch-uncertainty's side);
// "ID positive" counts a row at or under it as kept (MCM's side).  AUROC is the same for both.
struct DetectionMetrics {
  size_t id = 0;
  size_t ood = 0;
  double auroc = 0.0;              // P(ood score > id score) + P(equal) / 2 (Mann-Whitney)
  double aupr_ood_positive = 0.0;  // average precision: sum_k (R_k - R_{k-1}) P_k over thresholds
  double aupr_id_positive = 0.0;
  double fpr95_ood_positive = 0.0;  // share of ID flagged when about 95 % of OOD is
  double fpr95_id_positive = 0.0;   // share of OOD kept when about 95 % of ID is
};

// Scores as everywhere: higher is less sure, so OOD rows should score higher.  FPR95 is read at the
// distinct threshold whose recall is closest to 0.95, the stricter (higher recall) among equals.
// For failure detection pass the correct rows' scores as `id_scores` and the errors' as
// `ood_scores`.
// Errors: INVALID_ARGUMENT if a side is empty or a score is NaN.
absl::StatusOr<DetectionMetrics> MeasureDetection(absl::Span<const double> id_scores,
                                                  absl::Span<const double> ood_scores);

}  // namespace hydra::metrics
