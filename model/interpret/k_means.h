// Clusters of points around their means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "model/interpret/points.h"

namespace hydra::interpret {

struct KMeansOptions {
  size_t clusters = 3;
  size_t restarts = 10;  // the best of them is taken
  uint64_t seed = 0;
};

// The cluster of every point: Lloyd's iterations from k-means++ centres (Arthur and Vassilvitskii
// 2007), of all restarts the one with the smallest sum of squared distances, the first among
// equals.  Clusters are numbered by their first point, and none is empty.
// Errors: INVALID_ARGUMENT clusters outside 1..points, no restart, or sizes that do not fit;
// FAILED_PRECONDITION fewer distinct points than clusters (reason TOO_FEW_DISTINCT_POINTS).
absl::StatusOr<std::vector<size_t>> KMeans(const Points& points, const KMeansOptions& options);

}  // namespace hydra::interpret
