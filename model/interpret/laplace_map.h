// Laplace map of an attention head: which tokens it ties together, as three coordinates a token.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::interpret {

inline constexpr size_t kMapChannels = 3;

// The smallest number of tokens that has a fourth eigenvector.
inline constexpr size_t kMinMapTokens = 4;

struct LaplaceMap {
  size_t tokens = 0;                // T
  std::vector<double> coordinates;  // [T, 3] row-major: eigenvectors of the 2nd to 4th eigenvalue
  std::vector<double> eigenvalues;  // the five smallest, ascending; four of four tokens
  std::array<bool, kMapChannels> degenerate = {};  // of each channel, see eigenspaces.h
};

// `attention`: [T, T] (query x key) of one head and input, row-major, after the softmax.  With W =
// (A + A^T) / 2 the map is made of the eigenvectors of the 2nd to 4th smallest eigenvalue of
// NormalizedLaplacian(W); SmallestEigenpairs fixes their signs and what degenerate eigenvalues
// leave open.  All tokens take part, special ones too. Errors: INVALID_ARGUMENT a wrong size, fewer
// than kMinMapTokens (reason TOO_FEW_TOKENS), or a value that is negative or not finite
// (BAD_WEIGHT); FAILED_PRECONDITION a token that neither attends nor is attended to
// (ISOLATED_NODE).
absl::StatusOr<LaplaceMap> MapTokens(absl::Span<const float> attention, size_t tokens);

}  // namespace hydra::interpret
