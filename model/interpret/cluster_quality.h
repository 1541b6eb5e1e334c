// How well clusters are apart.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/interpret/points.h"

namespace hydra::interpret {

struct ClusterQuality {
  // mean over clusters i of max over j != i of (s_i + s_j) / |c_i - c_j|, s the mean distance of a
  // cluster's points to its centre c (Davies and Bouldin 1979); lower is better.
  double davies_bouldin = 0.0;

  // mean over points of (b - a) / max(a, b), a the mean distance to the others of the own cluster,
  // b to the nearest other cluster (Rousseeuw 1987); 0 for a point that is alone; in [-1, 1],
  // higher is better.
  double silhouette = 0.0;
};

// Distances are Euclidean.  `labels`: [count].
// Errors: INVALID_ARGUMENT other sizes, a label of `clusters` or more, fewer than 2 clusters or as
// many as points, or an empty cluster; FAILED_PRECONDITION two clusters with one centre (reason
// EQUAL_CENTRES), whose index is infinite.
absl::StatusOr<ClusterQuality> MeasureClusters(const Points& points,
                                               absl::Span<const size_t> labels, size_t clusters);

}  // namespace hydra::interpret
