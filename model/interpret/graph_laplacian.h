// The normalised Laplacian of a weighted graph.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::interpret {

// `weights`: [n, n] row-major, symmetric, finite and >= 0; the diagonal counts.  With D the
// diagonal matrix of the row sums d,
//   L = I - D^-1/2 W D^-1/2  (von Luxburg 2007, eq. L_sym),
// symmetric with eigenvalues in [0, 2].
struct GraphLaplacian {
  std::vector<double> matrix;   // [n, n]
  std::vector<double> degrees;  // [n], d > 0
};

// Errors: INVALID_ARGUMENT a size other than n * n, or a value that is negative or not finite
// (reason BAD_WEIGHT); FAILED_PRECONDITION a node without weight (reason ISOLATED_NODE).
absl::StatusOr<GraphLaplacian> NormalizedLaplacian(absl::Span<const double> weights, size_t nodes);

}  // namespace hydra::interpret
