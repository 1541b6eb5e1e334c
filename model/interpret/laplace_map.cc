#include "model/interpret/laplace_map.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "model/interpret/eigenspaces.h"
#include "model/interpret/graph_laplacian.h"

namespace hydra::interpret {
namespace {

// One more than the map uses: the gap behind the last one shows how well it is determined.
constexpr size_t kReportedEigenvalues = kMapChannels + 2;

absl::Status CheckSize(size_t values, size_t tokens) {
  if (tokens < kMinMapTokens) {
    return base::WithReason(
        absl::InvalidArgumentError(
            absl::StrCat("attention: got ", tokens, " tokens, want at least ", kMinMapTokens)),
        "TOO_FEW_TOKENS");
  }
  if (values == tokens * tokens) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("attention: got ", values, " values, want ", tokens, " x ", tokens));
}

std::vector<double> Symmetrized(absl::Span<const float> attention, size_t tokens) {
  std::vector<double> weights(attention.size());
  for (size_t i = 0; i < tokens; ++i) {
    for (size_t j = 0; j < tokens; ++j) {
      const double there = attention[i * tokens + j], back = attention[j * tokens + i];
      weights[i * tokens + j] = 0.5 * (there + back);
    }
  }
  return weights;
}

}  // namespace

absl::StatusOr<LaplaceMap> MapTokens(absl::Span<const float> attention, size_t tokens) {
  HYDRA_RETURN_IF_ERROR(CheckSize(attention.size(), tokens));
  HYDRA_ASSIGN_OR_RETURN(const GraphLaplacian laplacian,
                         NormalizedLaplacian(Symmetrized(attention, tokens), tokens));
  HYDRA_ASSIGN_OR_RETURN(const Eigenpairs pairs,
                         SmallestEigenpairs(laplacian.matrix, tokens, kMapChannels + 1));
  LaplaceMap map{.tokens = tokens, .coordinates = std::vector<double>(tokens * kMapChannels)};
  const size_t reported = std::min(kReportedEigenvalues, tokens);
  map.eigenvalues.assign(pairs.values.begin(),
                         pairs.values.begin() + static_cast<std::ptrdiff_t>(reported));
  for (size_t c = 0; c < kMapChannels; ++c) {
    map.degenerate[c] = pairs.degenerate[c + 1];
    for (size_t t = 0; t < tokens; ++t) {
      map.coordinates[t * kMapChannels + c] = pairs.vectors[c + 1][t];
    }
  }
  return map;
}

}  // namespace hydra::interpret
