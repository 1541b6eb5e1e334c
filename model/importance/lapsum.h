// LapSum: a differentiable choice of the k largest of n scores (Struski et al. 2025).  Torch-free.
// The temperature tau > 0 is |alpha| of SAPER (arXiv 2608.00264), which writes
// p_i = Lap((b - r_i)/alpha) with alpha < 0; a gradient with respect to alpha is the negative of
// the one with respect to tau.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::importance {

// p_i = Lap((r_i - b)/tau), with the barrier b such that they sum to k.  Lap is the distribution
// function of the standard Laplace distribution: e^x/2 up to 0, then 1 - e^-x/2.
struct SoftTopK {
  std::vector<double> weights;  // p, in the order of the scores
  double barrier = 0.0;         // b
};

struct SoftTopKOptions {
  double count = 1.0;        // k, any real number inside (0, n)
  double temperature = 1.0;  // tau; towards 0 the weights become 1 for the k largest and 0 else
};

struct SoftTopKGradient {
  std::vector<double> scores;
  double count = 0.0;
  double temperature = 0.0;
};

// O(n log n), without overflow at any temperature.  Errors: INVALID_ARGUMENT fewer than two scores,
// a score that is not finite, a count outside (0, n) or a temperature that is not positive.
absl::StatusOr<SoftTopK> ComputeSoftTopK(absl::Span<const double> scores, SoftTopKOptions options);

// What `upstream`, the gradient with respect to the weights of `forward`, means for scores, count
// and temperature: with d_i = e^(-|r_i - b|/tau) / (2 tau) and q = d / sum d, the Jacobian
// dp/dr is diag(d) - d q^T.  O(n).  Errors: INVALID_ARGUMENT sizes that differ.
absl::StatusOr<SoftTopKGradient> PullBackSoftTopK(absl::Span<const double> scores,
                                                  const SoftTopK& forward, SoftTopKOptions options,
                                                  absl::Span<const double> upstream);

}  // namespace hydra::importance
