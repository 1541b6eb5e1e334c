#include "model/calibration/class_groups.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/binomial.h"

namespace hydra::calibration {
namespace {

absl::Status CheckOrder(absl::Span<const size_t> order, size_t classes) {
  std::vector<size_t> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  bool permutation = sorted.size() == classes && classes > 0;
  for (size_t c = 0; permutation && c < classes; ++c) permutation = sorted[c] == c;
  if (permutation) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("group order: got ", absl::StrJoin(order, ", "),
                                                 ", want each of ", classes,
                                                 " classes (at least 1) once"));
}

void Merge(const ClassGroup& from, ClassGroup& into) {
  into.classes.insert(into.classes.end(), from.classes.begin(), from.classes.end());
  into.rows += from.rows;
}

}  // namespace

absl::StatusOr<ClassPlan> PlanClassRules(absl::Span<const size_t> rows_of_class,
                                         absl::Span<const size_t> group_order, double target_risk,
                                         double delta) {
  if (!(target_risk > 0.0 && target_risk < 1.0 && delta > 0.0 && delta < 1.0)) {
    return absl::InvalidArgumentError(absl::StrCat("target risk ", target_risk, " and delta ",
                                                   delta, ": want more than 0 and less than 1"));
  }
  HYDRA_RETURN_IF_ERROR(CheckOrder(group_order, rows_of_class.size()));
  ClassPlan plan{.rows_needed = uncertainty::RowsNeededWithoutErrors(target_risk, delta)};
  std::vector<ClassGroup> groups;
  ClassGroup open;
  for (const size_t c : group_order) {
    const ClassGroup alone{.classes = {c}, .rows = rows_of_class[c]};
    if (alone.rows >= plan.rows_needed) {
      plan.rules.push_back(alone);
      continue;
    }
    Merge(alone, open);
    if (open.rows < plan.rows_needed) continue;
    groups.push_back(std::move(open));
    open = {};
  }
  if (!groups.empty()) Merge(open, groups.back());
  if (groups.empty() && !open.classes.empty()) {
    std::sort(open.classes.begin(), open.classes.end());
    plan.infeasible = open.classes;
    plan.explanation = absl::StrCat("classes ", absl::StrJoin(open.classes, ", "), ": got ",
                                    open.rows, " rows together, want at least ", plan.rows_needed);
  }
  for (ClassGroup& group : groups) {
    std::sort(group.classes.begin(), group.classes.end());
    plan.rules.push_back(std::move(group));
  }
  return plan;
}

}  // namespace hydra::calibration
