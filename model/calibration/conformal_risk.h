// Thresholds whose expected loss is at most a level, without a confidence delta.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/scores.h"

namespace hydra::calibration {

// The last candidate that qualifies.  Without one, `explanation` says why and `rows_needed` how
// many rows could make a candidate without loss qualify.
struct ControlledLoss {
  std::optional<size_t> candidate;
  double bound = 0.0;  // (loss + B) / (n + 1) of the candidate, or of loss 0 without one
  std::optional<size_t> rows_needed;
  std::string explanation;
};

// Conformal risk control (Angelopoulos et al. 2022): candidate k has the summed loss `loss_sums[k]`
// over the n rows, each loss in [0, largest_loss] and, row by row, non-decreasing in k.  The last k
// with (loss_sums[k] + B) / (n + 1) <= alpha has E[loss of a new row] <= alpha, in the mean over
// calibration sets.  Choosing nothing (no loss) must be possible where no candidate qualifies.
// Errors: INVALID_ARGUMENT no candidate or row, sums that fall or are not in [0, n B], B not
// positive and finite, alpha not in (0, B).
absl::StatusOr<ControlledLoss> ControlExpectedLoss(absl::Span<const double> loss_sums, size_t n,
                                                   double largest_loss, double alpha);

struct GeneralisedRiskCut {
  std::optional<double> threshold;  // accept score <= threshold; unset: accept nothing
  size_t accepted = 0;
  size_t errors = 0;  // among the accepted
  std::optional<size_t> rows_needed;
  std::string explanation;
};

// The same for the generalised risk P(wrong and accepted), which grows with the threshold: the
// largest score of a row with (errors + 1) / (n + 1) <= alpha.  It does not bound the selective
// risk P(wrong | accepted).
// Errors: INVALID_ARGUMENT no row, a score that is not finite, alpha not in (0, 1).
absl::StatusOr<GeneralisedRiskCut> ControlGeneralisedRisk(
    absl::Span<const uncertainty::ScoredRow> rows, double alpha);

}  // namespace hydra::calibration
