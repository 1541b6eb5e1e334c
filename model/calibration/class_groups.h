// Which classes have enough rows for a rule of their own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::calibration {

// Classes that share one rule.
struct ClassGroup {
  std::vector<size_t> classes;  // ascending
  size_t rows = 0;
};

struct ClassPlan {
  std::vector<ClassGroup> rules;   // each with at least `rows_needed` rows
  std::vector<size_t> infeasible;  // classes that no rule can speak of
  size_t rows_needed = 0;          // ceil(ln delta / ln(1 - target_risk))
  std::string explanation;         // of the infeasible classes; empty if there is none
};

// `rows_of_class`: certify rows by predicted class, which is all that a rule knows of an input.  A
// class with enough rows has its own rule.  The others are put together in the order of
// `group_order` until a group has enough; what is left joins the last such group, else it is
// infeasible.  Uses no labels, so that a certificate of each rule holds at delta for that rule;
// for all rules at once pass delta / (number of classes).
// Errors: INVALID_ARGUMENT target_risk or delta not in (0, 1), no class, or `group_order` is not a
// permutation of the classes.
absl::StatusOr<ClassPlan> PlanClassRules(absl::Span<const size_t> rows_of_class,
                                         absl::Span<const size_t> group_order, double target_risk,
                                         double delta);

}  // namespace hydra::calibration
