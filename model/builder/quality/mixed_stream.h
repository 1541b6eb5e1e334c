// The stream that a deployed model sees: in-distribution, near and far rows in equal parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/scores.h"

namespace hydra::builder {

// A row of the OOD set `set`, or of the labelled data if `set` is empty.
struct StreamRow {
  std::string set;
  size_t row = 0;
};

struct StreamPlan {
  size_t each = 0;  // rows of each part
  size_t parts = 0;
  std::vector<StreamRow> rows;
};

// As many rows of each part as the smallest has, drawn with `seed`: in-distribution rows, rows of
// the sets in `near`, rows of the other sets; two parts if there is no near or no far set.
// Errors: FAILED_PRECONDITION no row or no OOD set.
absl::StatusOr<StreamPlan> PlanStream(size_t id_rows, const std::map<std::string, size_t>& ood_rows,
                                      const std::set<std::string>& near, uint64_t seed);

// The stream's rows in one ranking; out-of-distribution rows are mistakes like errors.
// Errors: INVALID_ARGUMENT a set or row of the plan is not there.
absl::StatusOr<std::vector<uncertainty::ScoredRow>> StreamRows(
    const StreamPlan& plan, absl::Span<const uncertainty::ScoredRow> id,
    const std::map<std::string, std::vector<double>>& ood);

}  // namespace hydra::builder
