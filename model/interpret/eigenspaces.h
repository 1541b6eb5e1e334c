// Eigenvectors of a symmetric matrix without freedom of choice.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::interpret {

// Neighbouring eigenvalues closer than this count as one eigenvalue.  Attention comes in float32:
// its rounding (6e-8) turns the eigenvectors of a gap g by about 6e-8 / g, 6 % at this gap.
inline constexpr double kDegenerateGap = 1e-6;

struct Eigenpairs {
  std::vector<double> values;                // all n, ascending
  std::vector<std::vector<double>> vectors;  // the first `count`, each [n] of length 1
  std::vector<bool> degenerate;              // [count]: the eigenspace has more than one dimension
};

// `matrix`: [n, n] row-major, finite; its lower triangle is read.
// An eigenspace of one dimension gives the vector whose entry of largest magnitude is positive (the
// one of lowest index among equals).  One of g > 1 dimensions gives the orthonormal basis that
// Gram-Schmidt makes of the projections of the coordinate axes, taken in order; an axis whose
// remainder holds less than half of the average is passed over, as rounding would set its
// direction. Errors: INVALID_ARGUMENT a wrong size, a count outside 1..n, or values that are not
// finite; INTERNAL the iteration did not converge.
absl::StatusOr<Eigenpairs> SmallestEigenpairs(absl::Span<const double> matrix, size_t n,
                                              size_t count);

}  // namespace hydra::interpret
