#include "model/interpret/cluster_quality.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"

namespace hydra::interpret {
namespace {

// Centres nearer than this share of the largest coordinate differ by rounding.
constexpr double kEqual = 1e-12;

double LargestCoordinate(const Points& points) {
  double largest = 0.0;
  for (const double value : points.values) largest = std::max(largest, std::abs(value));
  return largest;
}

absl::StatusOr<std::vector<size_t>> ClusterSizes(const Points& points,
                                                 absl::Span<const size_t> labels, size_t clusters) {
  if (labels.size() != points.count || points.values.size() != points.count * points.width ||
      clusters < 2 || clusters >= points.count) {
    return absl::InvalidArgumentError(
        absl::StrCat("clusters: got ", labels.size(), " labels of ", clusters, " clusters for ",
                     points.count, " points, want one a point and 2..points-1 clusters"));
  }
  std::vector<size_t> sizes(clusters);
  for (const size_t label : labels) {
    if (label >= clusters) {
      return absl::InvalidArgumentError(
          absl::StrCat("clusters: got label ", label, ", want below ", clusters));
    }
    ++sizes[label];
  }
  const auto empty = std::find(sizes.begin(), sizes.end(), size_t{0});
  if (empty == sizes.end()) return sizes;
  return absl::InvalidArgumentError(
      absl::StrCat("clusters: cluster ", empty - sizes.begin(), " is empty"));
}

absl::StatusOr<double> DaviesBouldin(const Points& points, absl::Span<const size_t> labels,
                                     const std::vector<size_t>& sizes) {
  const size_t clusters = sizes.size();
  const Points centres = Centres(points, labels, clusters);
  std::vector<double> spread(clusters);
  for (size_t i = 0; i < points.count; ++i) {
    spread[labels[i]] += std::sqrt(SquaredDistance(points.row(i), centres.row(labels[i]))) /
                         static_cast<double>(sizes[labels[i]]);
  }
  const double equal = kEqual * LargestCoordinate(points);
  double sum = 0.0;
  for (size_t i = 0; i < clusters; ++i) {
    double worst = 0.0;
    for (size_t j = 0; j < clusters; ++j) {
      if (i == j) continue;
      const double apart = std::sqrt(SquaredDistance(centres.row(i), centres.row(j)));
      if (apart <= equal) {
        return base::WithReason(absl::FailedPreconditionError(absl::StrCat(
                                    "clusters: ", i, " and ", j, " have the same centre")),
                                "EQUAL_CENTRES");
      }
      worst = std::max(worst, (spread[i] + spread[j]) / apart);
    }
    sum += worst;
  }
  return sum / static_cast<double>(clusters);
}

// (b - a) / max(a, b) of point `i`.
double SilhouetteOf(const Points& points, absl::Span<const size_t> labels,
                    const std::vector<size_t>& sizes, size_t i) {
  if (sizes[labels[i]] == 1) return 0.0;
  std::vector<double> sums(sizes.size());
  for (size_t j = 0; j < points.count; ++j) {
    sums[labels[j]] += std::sqrt(SquaredDistance(points.row(i), points.row(j)));
  }
  double nearest = std::numeric_limits<double>::infinity();
  for (size_t c = 0; c < sizes.size(); ++c) {
    if (c != labels[i]) nearest = std::min(nearest, sums[c] / static_cast<double>(sizes[c]));
  }
  const double own = sums[labels[i]] / static_cast<double>(sizes[labels[i]] - 1);
  const double larger = std::max(own, nearest);
  return larger > 0.0 ? (nearest - own) / larger : 0.0;
}

}  // namespace

absl::StatusOr<ClusterQuality> MeasureClusters(const Points& points,
                                               absl::Span<const size_t> labels, size_t clusters) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<size_t> sizes, ClusterSizes(points, labels, clusters));
  ClusterQuality quality;
  HYDRA_ASSIGN_OR_RETURN(quality.davies_bouldin, DaviesBouldin(points, labels, sizes));
  for (size_t i = 0; i < points.count; ++i) {
    quality.silhouette += SilhouetteOf(points, labels, sizes, i);
  }
  quality.silhouette /= static_cast<double>(points.count);
  return quality;
}

}  // namespace hydra::interpret
