// Which predicted classes can have a certified rule of their own, for the record of calibrate.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/answer.h"
#include "nlohmann/json_fwd.hpp"

namespace hydra::builder {

struct ClassRuleTarget {
  double risk = 0.02;
  double delta = 0.05;
  uncertainty::Score score = uncertainty::Score::kTotalEntropy;
};

// {"target_risk", "delta", "score", "rows_needed", "rules", "infeasible"}: each rule is a class, or
// classes put together from the one predicted most often to the rarest, with its certify rows and
// its cut, or why there is none.  The cut comes from Learn-then-Test over 50 quantiles of the
// rule's path rows, in one sequence that starts at FirstTestable or at half of the path rows,
// whichever is more.  A rule's certificate holds for that rule with confidence 1 - delta, not for
// all at once.
// Errors: as PlanClassRules, ScoreRows, DeclareCuts and LearnThenTest.
absl::StatusOr<nlohmann::ordered_json> DescribeClassRules(
    absl::Span<const uncertainty::Answer> path, absl::Span<const uncertainty::Answer> certify,
    absl::Span<const size_t> labels, const ClassRuleTarget& target);

}  // namespace hydra::builder
