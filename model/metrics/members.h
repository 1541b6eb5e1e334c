// How far members differ: the reason to have them.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/answer.h"

namespace hydra::metrics {

// Means over rows.
struct MemberComparison {
  size_t n = 0;
  double mutual_information = 0.0;  // nats
  double disagreement = 0.0;        // share of member pairs whose argmax differs
  double variation_ratio = 0.0;     // share of members that do not vote for the predicted class
  // (1 / (M (M - 1))) sum over ordered pairs i != j of KL(p_i, p_j), nats, with probabilities
  // clamped below at 1e-12 (Malinin & Gales 2021; over i != j, M / (M - 1) times the mean over all
  // M^2 pairs).
  double pairwise_kl = 0.0;
};

// Errors: INVALID_ARGUMENT if there is no row; FAILED_PRECONDITION for one member.
absl::StatusOr<MemberComparison> CompareMembers(absl::Span<const uncertainty::Answer> answers);

}  // namespace hydra::metrics
