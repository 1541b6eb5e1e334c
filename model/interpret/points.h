// Points of one width, row after row.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace hydra::interpret {

struct Points {
  size_t count = 0;
  size_t width = 0;
  std::vector<double> values;  // [count, width] row-major

  absl::Span<const double> row(size_t i) const {
    return absl::MakeConstSpan(values).subspan(i * width, width);
  }
};

// Squared Euclidean distance of two rows of one width.
double SquaredDistance(absl::Span<const double> a, absl::Span<const double> b);

// The mean of the points of each label, [clusters, width]; zeros of a label without points.
// `labels`: [count], below `clusters`.
Points Centres(const Points& points, absl::Span<const size_t> labels, size_t clusters);

}  // namespace hydra::interpret
