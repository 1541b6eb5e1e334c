#include "model/report/score_histogram.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::report {
namespace {

constexpr double kTail = 0.001;

struct Range {
  double low = 0.0;
  double high = 0.0;
};

absl::StatusOr<Range> MiddleOf(const ScoreGroup& group) {
  if (group.scores.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("score group ", group.name, ": got no score"));
  }
  std::vector<double> sorted = group.scores;
  for (const double score : sorted) {
    if (!std::isfinite(score)) {
      return absl::InvalidArgumentError(
          absl::StrCat("score group ", group.name, ": got ", score, ", want finite"));
    }
  }
  std::sort(sorted.begin(), sorted.end());
  const size_t skipped = static_cast<size_t>(kTail * static_cast<double>(sorted.size()));
  return Range{.low = sorted[skipped], .high = sorted[sorted.size() - 1 - skipped]};
}

std::vector<double> SharesOf(const ScoreGroup& group, Range range, size_t bins) {
  std::vector<double> shares(bins, 0.0);
  const double width = (range.high - range.low) / static_cast<double>(bins);
  for (const double score : group.scores) {
    const double position =
        std::clamp((score - range.low) / width, 0.0, static_cast<double>(bins) - 1.0);
    shares[static_cast<size_t>(position)] += 1.0 / static_cast<double>(group.scores.size());
  }
  return shares;
}

}  // namespace

absl::StatusOr<ScoreHistogram> BinScores(const std::string& score,
                                         absl::Span<const ScoreGroup> groups, size_t bins) {
  if (groups.empty() || bins == 0) {
    return absl::InvalidArgumentError(absl::StrCat("histogram of ", score, ": got ", groups.size(),
                                                   " groups and ", bins,
                                                   " bins, want at least 1 of each"));
  }
  Range range{.low = INFINITY, .high = -INFINITY};
  for (const ScoreGroup& group : groups) {
    HYDRA_ASSIGN_OR_RETURN(const Range middle, MiddleOf(group));
    range.low = std::min(range.low, middle.low);
    range.high = std::max(range.high, middle.high);
  }
  // One value everywhere still gets a bin of some width.
  if (!(range.high > range.low)) range.high = range.low + std::max(1e-9, std::abs(range.low));
  ScoreHistogram histogram{.score = score};
  for (size_t i = 0; i <= bins; ++i) {
    histogram.edges.push_back(range.low + (range.high - range.low) * static_cast<double>(i) /
                                              static_cast<double>(bins));
  }
  for (const ScoreGroup& group : groups) {
    histogram.groups.push_back({.name = group.name, .shares = SharesOf(group, range, bins)});
  }
  return histogram;
}

}  // namespace hydra::report
