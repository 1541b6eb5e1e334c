// Prediction sets: every class whose conformal score is at most a calibrated quantile.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hydra::uncertainty {

enum class ConformalMethod {
  kLac,  // s(y) = 1 - p_y (Sadinle et al. 2019)
  kAps,  // s(y) = sum of p_c over the classes ranked up to and including y, no randomisation
         // (Romano et al. 2020 with u = 0: coverage is at least the nominal one)
};

absl::string_view ConformalMethodName(ConformalMethod method);  // "lac", "aps"

// Errors: INVALID_ARGUMENT for any other name.
absl::StatusOr<ConformalMethod> ParseConformalMethod(absl::string_view name);

// s(label) of one row; `label` < probs.size().  Classes rank by falling probability, the lower
// index first among equals.
double ConformalScore(absl::Span<const float> probs, size_t label, ConformalMethod method);

// The classes with s(c) <= quantile, most probable first.  Coverage is marginal: over inputs that
// are exchangeable with the conformal split, the set misses the label with probability <= alpha.
// Holds every class for an infinite quantile, may be empty (LAC), and is empty for a NaN.
std::vector<size_t> ConformalSet(absl::Span<const float> probs, double quantile,
                                 ConformalMethod method);

}  // namespace hydra::uncertainty
