// How sure an ensemble is, and why it is unsure: the split of predictive uncertainty.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/ensemble_shape.h"

namespace hydra::uncertainty {

// One row's answer to "how sure?".  The three optional fields compare members with each other and
// are unset for one member: a single model has no disagreement, which is not the same as
// disagreement 0.
struct UncertaintySplit {
  size_t predicted_class = 0;   // argmax of the mean probabilities; the lowest index wins a tie
  double confidence = 0.0;      // largest mean probability, in [1/C, 1]
  double total_nats = 0.0;      // in [0, ln C]
  double aleatoric_nats = 0.0;  // in [0, total_nats]
  std::optional<double> epistemic_nats;  // in [0, min(ln M, ln C)]
  std::optional<double> disagreement;    // share of member pairs whose argmax differs, in [0, 1]
  std::optional<double>
      variation_ratio;  // share of members whose argmax is not predicted_class, in [0, 1)
};

// Splits predictive uncertainty: total = H[mean_m p_m], aleatoric = mean_m H[p_m], epistemic =
// total - aleatoric (mutual information of answer and member; Depeweg et al. 2018, section 3), with
// H in nats and 0 ln 0 = 0. `probs`: [M, B, C] row-major, every row sums to 1 +- 1e-4. Returns one
// entry per row of B.  Thread-safe. Errors: INVALID_ARGUMENT if probs.size() != M*B*C or a row is
// not a distribution.
absl::StatusOr<std::vector<UncertaintySplit>> SplitUncertainty(absl::Span<const float> probs,
                                                               EnsembleShape shape);

// mean_m probs[m, b, c]: [B, C] row-major, accumulated in float64.
// Errors: INVALID_ARGUMENT if probs.size() != M*B*C.
absl::StatusOr<std::vector<float>> MeanOverMembers(absl::Span<const float> probs,
                                                   EnsembleShape shape);

}  // namespace hydra::uncertainty
