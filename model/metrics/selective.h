// What abstaining buys: risk among the accepted rows as coverage grows.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/scores.h"

namespace hydra::metrics {

// Accepting every row with score <= threshold.
struct RiskCoveragePoint {
  double threshold = 0.0;
  double coverage = 0.0;  // accepted / n
  double risk = 0.0;      // errors among the accepted / accepted
};

// With r_i the risk among the i surest rows.  Rows of equal score are averaged over their orders:
// r_i counts the expected errors of a random order, so the order of the input does not matter.
struct SelectiveMetrics {
  size_t n = 0;
  double error_rate = 0.0;       // e, the risk at full coverage
  double aurc = 0.0;             // mean_i r_i (Geifman et al. 2019)
  double e_aurc = 0.0;           // aurc - (e + (1 - e) ln(1 - e)), the excess over a perfect
                                 // order of many rows; of n rows it differs by O(1 / n)
  double augrc = 0.0;            // area under (errors among the i surest) / n from coverage 0 to 1
                                 // (Traub et al. 2024): (1 - AUROC of failures) e (1 - e) + e^2 / 2
  double aurc_trapezoid = 0.0;   // trapezoid of r_i on [1/n, 1] over 1 - 1/n (torch-uncertainty)
  double augrc_trapezoid = 0.0;  // the same of the generalised risk
  double aurc_fd_shifts = 0.0;   // trapezoid over the distinct scores only, from coverage 0 with
                                 // the risk of the surest (fd-shifts, there times 1000)
};

// One point per distinct score, coverage ascending: where a threshold can be.
// Errors: INVALID_ARGUMENT if there is no row or a score is NaN.
absl::StatusOr<std::vector<RiskCoveragePoint>> RiskCoverageCurve(
    absl::Span<const uncertainty::ScoredRow> rows);

// Errors: as RiskCoverageCurve.
absl::StatusOr<SelectiveMetrics> MeasureSelective(absl::Span<const uncertainty::ScoredRow> rows);

// The point of largest coverage whose risk is at most `risk`; unset if there is none.
std::optional<RiskCoveragePoint> CoverageAtRisk(absl::Span<const RiskCoveragePoint> curve,
                                                double risk);

// The point of smallest coverage that is at least `coverage`; unset if there is none.
std::optional<RiskCoveragePoint> RiskAtCoverage(absl::Span<const RiskCoveragePoint> curve,
                                                double coverage);

// At most `count` points (at least 2) of a curve for a plot, about equally spaced in coverage, both
// ends kept.
std::vector<RiskCoveragePoint> ThinCurve(absl::Span<const RiskCoveragePoint> curve, size_t count);

}  // namespace hydra::metrics
