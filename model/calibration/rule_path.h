// Several rules as one: the path along which they are certified together.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::calibration {

// Declared on the path split, before the certify split is looked at: the position of an input is
// the largest of its scores' quantile ranks, max_j #{path rows with score_j < s_j} / n.  A cut at
// position q accepts exactly the inputs that every rule score_j <= ThresholdsAt(q)[j] accepts, so
// that a bound for the cut (SelectWithGuaranteedRisk, CountCuts, LearnThenTest on positions) is a
// bound for the rules together.  A rule that is added to a certified cut afterwards has none.
// Thread-safe once made.
class RulePath {
 public:
  // `scores`: one list per rule, of the same rows of the path split.
  // Errors: INVALID_ARGUMENT no rule, no row, lists of different lengths, or a score that is not
  // finite.
  static absl::StatusOr<RulePath> Create(absl::Span<const std::vector<double>> scores);

  size_t rules() const { return sorted_.size(); }

  // In [0, 1].  `scores`: one per rule.  Errors: INVALID_ARGUMENT another number, or NaN.
  absl::StatusOr<double> Position(absl::Span<const double> scores) const;

  // One threshold per rule; infinite for a rule that refuses nothing there.
  // Errors: INVALID_ARGUMENT position outside [0, 1].
  absl::StatusOr<std::vector<double>> ThresholdsAt(double position) const;

 private:
  RulePath() = default;

  std::vector<std::vector<double>> sorted_;  // [rules][rows], ascending
};

}  // namespace hydra::calibration
