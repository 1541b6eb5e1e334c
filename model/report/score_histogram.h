// Histograms of one score over several groups of rows, for plots.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/report/report_data.h"

namespace hydra::report {

struct ScoreGroup {
  std::string name;
  std::vector<double> scores;
};

// `bins` equal bins over the range that holds the middle 99.8 % of every group; the outer bins take
// the rest.  Shares of a group sum to 1.
// Errors: INVALID_ARGUMENT if there is no group or bin, a group is empty, or a score is not finite.
absl::StatusOr<ScoreHistogram> BinScores(const std::string& score,
                                         absl::Span<const ScoreGroup> groups, size_t bins);

}  // namespace hydra::report
