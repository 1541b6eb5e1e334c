#include "model/interpret/points.h"

#include <algorithm>

namespace hydra::interpret {

double SquaredDistance(absl::Span<const double> a, absl::Span<const double> b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

Points Centres(const Points& points, absl::Span<const size_t> labels, size_t clusters) {
  Points centres{.count = clusters,
                 .width = points.width,
                 .values = std::vector<double>(clusters * points.width)};
  std::vector<size_t> sizes(clusters);
  for (size_t i = 0; i < points.count; ++i) {
    ++sizes[labels[i]];
    for (size_t d = 0; d < points.width; ++d) {
      centres.values[labels[i] * points.width + d] += points.row(i)[d];
    }
  }
  for (size_t i = 0; i < centres.values.size(); ++i) {
    const size_t size = sizes[i / std::max<size_t>(points.width, 1)];
    if (size > 0) centres.values[i] /= static_cast<double>(size);
  }
  return centres;
}

}  // namespace hydra::interpret
