// Selection with guaranteed risk: the published algorithm for one look at one sample.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/certificate.h"
#include "model/uncertainty/scores.h"

namespace hydra::calibration {

// Selection with guaranteed risk (Geifman & El-Yaniv 2017, algorithm 2) on one score: bisection
// over the sorted rows with k = ceil(log2 n) cuts, each bounded at delta / k; returns the last
// certified cut.  Good for one look at the rows only; serving uses the declared table.  Without a
// cut, rows_needed says about how many rows would do, at the coverage and risk of the best of 32
// measured cuts and with the k of that many rows.
// Errors: INVALID_ARGUMENT if there is no row, a score is not finite, or target_risk or delta is
// not in (0, 1).
absl::StatusOr<uncertainty::CutSearch> SelectWithGuaranteedRisk(
    absl::Span<const uncertainty::ScoredRow> rows, double target_risk, double delta);

}  // namespace hydra::calibration
