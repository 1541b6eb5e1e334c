#include "model/metrics/detection.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::metrics {
namespace {

constexpr double kRecall = 0.95;

// Rows of one distinct score.
struct Group {
  double score = 0.0;
  double positives = 0.0;
  double negatives = 0.0;
};

struct Curve {
  double average_precision = 0.0;
  double false_positive_rate = 0.0;  // at the recall closest to kRecall
};

absl::Status CheckScores(absl::Span<const double> scores, absl::string_view name) {
  if (scores.empty()) return absl::InvalidArgumentError(absl::StrCat(name, ": got no score"));
  for (const double score : scores) {
    if (std::isnan(score)) return absl::InvalidArgumentError(absl::StrCat(name, ": got NaN"));
  }
  return absl::OkStatus();
}

// One group per distinct score, ascending, with OOD as positives.
std::vector<Group> GroupByScore(absl::Span<const double> id_scores,
                                absl::Span<const double> ood_scores) {
  std::vector<Group> rows;
  for (const double score : id_scores) rows.push_back({.score = score, .negatives = 1.0});
  for (const double score : ood_scores) rows.push_back({.score = score, .positives = 1.0});
  std::sort(rows.begin(), rows.end(),
            [](const Group& a, const Group& b) { return a.score < b.score; });
  std::vector<Group> groups;
  for (const Group& row : rows) {
    if (groups.empty() || groups.back().score != row.score) groups.push_back({.score = row.score});
    groups.back().positives += row.positives;
    groups.back().negatives += row.negatives;
  }
  return groups;
}

double AreaUnderRoc(absl::Span<const Group> ascending, double id, double ood) {
  double ordered_pairs = 0.0;
  double id_below = 0.0;
  for (const Group& group : ascending) {
    ordered_pairs += group.positives * (id_below + group.negatives / 2.0);
    id_below += group.negatives;
  }
  return ordered_pairs / (id * ood);
}

// `groups` from the most to the least positive.
Curve Trace(absl::Span<const Group> groups, double positives, double negatives) {
  Curve curve;
  double best_gap = 2.0;
  double caught = 0.0;
  double flagged = 0.0;
  for (const Group& group : groups) {
    caught += group.positives;
    flagged += group.negatives;
    const double recall = caught / positives;
    curve.average_precision += group.positives / positives * caught / (caught + flagged);
    const double gap = std::abs(recall - kRecall);
    if (group.positives == 0.0 || gap > best_gap) continue;  // same recall, more flagged
    best_gap = gap;
    curve.false_positive_rate = flagged / negatives;
  }
  return curve;
}

}  // namespace

absl::StatusOr<DetectionMetrics> MeasureDetection(absl::Span<const double> id_scores,
                                                  absl::Span<const double> ood_scores) {
  HYDRA_RETURN_IF_ERROR(CheckScores(id_scores, "id_scores"));
  HYDRA_RETURN_IF_ERROR(CheckScores(ood_scores, "ood_scores"));
  const double id = static_cast<double>(id_scores.size());
  const double ood = static_cast<double>(ood_scores.size());
  std::vector<Group> groups = GroupByScore(id_scores, ood_scores);
  DetectionMetrics metrics{.id = id_scores.size(), .ood = ood_scores.size()};
  metrics.auroc = AreaUnderRoc(groups, id, ood);
  for (Group& group : groups) std::swap(group.positives, group.negatives);
  const Curve keeping = Trace(groups, id, ood);
  metrics.aupr_id_positive = keeping.average_precision;
  metrics.fpr95_id_positive = keeping.false_positive_rate;
  for (Group& group : groups) std::swap(group.positives, group.negatives);
  std::reverse(groups.begin(), groups.end());
  const Curve catching = Trace(groups, ood, id);
  metrics.aupr_ood_positive = catching.average_precision;
  metrics.fpr95_ood_positive = catching.false_positive_rate;
  return metrics;
}

}  // namespace hydra::metrics
