// Predict or abstain, by all kinds of rules.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "model/artifact/calibration.h"
#include "model/uncertainty/answer.h"
#include "model/uncertainty/decision.h"
#include "server/policy/policy.h"

namespace hydra::policy {

// Index of the quantile for `alpha`, or of the first one when unset; unset when there is none.
std::optional<size_t> FindQuantile(const artifact::Calibration& calibration,
                                   std::optional<double> alpha);

// `set_sizes[q]`: size of the conformal set by calibration.conformal[q].  Score rules speak first,
// then the conformal set, then the classes; the last two leave score and rule of the decision
// unset.
uncertainty::Decision Judge(const Rules& rules, const uncertainty::Answer& answer,
                            absl::Span<const size_t> set_sizes,
                            const artifact::Calibration& calibration);

}  // namespace hydra::policy
