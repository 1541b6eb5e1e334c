#include "model/interpret/graph_laplacian.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"

namespace hydra::interpret {
namespace {

absl::Status CheckWeights(absl::Span<const double> weights, size_t nodes) {
  if (nodes == 0 || weights.size() != nodes * nodes) {
    return absl::InvalidArgumentError(absl::StrCat("graph: got ", weights.size(), " weights, want ",
                                                   nodes, " x ", nodes, " and at least 1"));
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i]) && weights[i] >= 0.0) continue;
    return base::WithReason(absl::InvalidArgumentError(absl::StrCat(
                                "graph: weight of nodes ", i / nodes, " and ", i % nodes, ": got ",
                                weights[i], ", want a finite number >= 0")),
                            "BAD_WEIGHT");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GraphLaplacian> NormalizedLaplacian(absl::Span<const double> weights, size_t nodes) {
  HYDRA_RETURN_IF_ERROR(CheckWeights(weights, nodes));
  GraphLaplacian laplacian{.matrix = std::vector<double>(nodes * nodes),
                           .degrees = std::vector<double>(nodes)};
  for (size_t i = 0; i < nodes; ++i) {
    for (size_t j = 0; j < nodes; ++j) laplacian.degrees[i] += weights[i * nodes + j];
    if (laplacian.degrees[i] > 0.0) continue;
    return base::WithReason(absl::FailedPreconditionError(absl::StrCat(
                                "graph: node ", i, " is isolated: its weights are all 0")),
                            "ISOLATED_NODE");
  }
  for (size_t i = 0; i < nodes; ++i) {
    for (size_t j = 0; j < nodes; ++j) {
      const double scale = std::sqrt(laplacian.degrees[i]) * std::sqrt(laplacian.degrees[j]);
      laplacian.matrix[i * nodes + j] = (i == j ? 1.0 : 0.0) - weights[i * nodes + j] / scale;
    }
  }
  return laplacian;
}

}  // namespace hydra::interpret
