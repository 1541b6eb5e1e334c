#include "model/calibration/rule_path.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hydra::calibration {

absl::StatusOr<RulePath> RulePath::Create(absl::Span<const std::vector<double>> scores) {
  if (scores.empty() || scores[0].empty()) {
    return absl::InvalidArgumentError("rule path: got no rule or no row, want at least 1 of each");
  }
  RulePath path;
  for (size_t j = 0; j < scores.size(); ++j) {
    if (scores[j].size() != scores[0].size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "scores of rule ", j, ": got ", scores[j].size(), " rows, want ", scores[0].size()));
    }
    for (const double score : scores[j]) {
      if (!std::isfinite(score)) {
        return absl::InvalidArgumentError(
            absl::StrCat("score of rule ", j, ": got ", score, ", want finite"));
      }
    }
    std::vector<double>& sorted = path.sorted_.emplace_back(scores[j]);
    std::sort(sorted.begin(), sorted.end());
  }
  return path;
}

absl::StatusOr<double> RulePath::Position(absl::Span<const double> scores) const {
  if (scores.size() != rules()) {
    return absl::InvalidArgumentError(
        absl::StrCat("scores: got ", scores.size(), ", want one per rule, ", rules()));
  }
  size_t below = 0;
  for (size_t j = 0; j < scores.size(); ++j) {
    if (std::isnan(scores[j])) {
      return absl::InvalidArgumentError(absl::StrCat("score of rule ", j, ": got NaN"));
    }
    const auto first = std::lower_bound(sorted_[j].begin(), sorted_[j].end(), scores[j]);
    below = std::max(below, static_cast<size_t>(first - sorted_[j].begin()));
  }
  return static_cast<double>(below) / static_cast<double>(sorted_[0].size());
}

absl::StatusOr<std::vector<double>> RulePath::ThresholdsAt(double position) const {
  if (!(position >= 0.0 && position <= 1.0)) {
    return absl::InvalidArgumentError(absl::StrCat("position: got ", position, ", want 0..1"));
  }
  constexpr double kRounding = 1e-9;  // 3 / 7 * 7 may come out just under 3
  const double rows = static_cast<double>(sorted_[0].size());
  const size_t below = static_cast<size_t>(std::floor(position * rows + kRounding));
  std::vector<double> thresholds;
  for (const std::vector<double>& sorted : sorted_) {
    thresholds.push_back(below < sorted.size() ? sorted[below]
                                               : std::numeric_limits<double>::infinity());
  }
  return thresholds;
}

}  // namespace hydra::calibration
