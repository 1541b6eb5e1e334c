#include "model/interpret/k_means.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/rng.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"

namespace hydra::interpret {
namespace {

constexpr size_t kMaxIterations = 300;

struct Clustering {
  std::vector<size_t> labels;
  double inertia = std::numeric_limits<double>::infinity();
};

absl::Status CheckInput(const Points& points, const KMeansOptions& options) {
  const bool sized = points.width > 0 && points.values.size() == points.count * points.width;
  if (sized && options.clusters >= 1 && options.clusters <= points.count && options.restarts >= 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "k-means: got ", options.clusters, " clusters and ", options.restarts, " restarts for ",
      points.values.size(), " values of ", points.count, " points, want 1..points clusters, at ",
      "least 1 restart and as many values for every point"));
}

// Distance of every point to its nearest centre so far.
void TakeNearer(const Points& points, size_t centre, std::vector<double>& distances) {
  for (size_t i = 0; i < points.count; ++i) {
    distances[i] = std::min(distances[i], SquaredDistance(points.row(i), points.row(centre)));
  }
}

// An index drawn with probability proportional to its weight; `total` > 0 is the sum.
size_t Draw(const std::vector<double>& weights, double total, base::Rng& rng) {
  double left = rng.Uniform() * total;
  size_t last = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    last = i;
    left -= weights[i];
    if (left < 0.0) break;
  }
  return last;
}

absl::StatusOr<Points> SpreadCentres(const Points& points, size_t clusters, base::Rng& rng) {
  Points centres{.width = points.width};
  std::vector<double> distances(points.count, std::numeric_limits<double>::infinity());
  size_t next = rng.UniformBelow(points.count);
  while (true) {
    const auto row = points.row(next);
    centres.values.insert(centres.values.end(), row.begin(), row.end());
    if (++centres.count == clusters) return centres;
    TakeNearer(points, next, distances);
    double total = 0.0;
    for (const double distance : distances) total += distance;
    if (!(total > 0.0)) {
      return base::WithReason(
          absl::FailedPreconditionError(
              absl::StrCat("k-means: got ", centres.count, " distinct points, want ", clusters)),
          "TOO_FEW_DISTINCT_POINTS");
    }
    next = Draw(distances, total, rng);
  }
}

// The nearest centre of every point, the first among equals.
Clustering Assign(const Points& points, const Points& centres) {
  Clustering clustering{.labels = std::vector<size_t>(points.count), .inertia = 0.0};
  for (size_t i = 0; i < points.count; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (size_t c = 0; c < centres.count; ++c) {
      const double distance = SquaredDistance(points.row(i), centres.row(c));
      if (distance < nearest) {
        nearest = distance;
        clustering.labels[i] = c;
      }
    }
    clustering.inertia += nearest;
  }
  return clustering;
}

// Gives every empty cluster the point that is farthest from its centre, of a cluster with others.
void FillEmpty(const Points& points, const Points& centres, std::vector<size_t>& labels) {
  std::vector<size_t> sizes(centres.count);
  for (const size_t label : labels) ++sizes[label];
  for (size_t c = 0; c < centres.count; ++c) {
    if (sizes[c] > 0) continue;
    size_t farthest = points.count;
    double largest = -1.0;
    for (size_t i = 0; i < points.count; ++i) {
      const double distance = SquaredDistance(points.row(i), centres.row(labels[i]));
      if (sizes[labels[i]] < 2 || distance <= largest) continue;
      largest = distance;
      farthest = i;
    }
    --sizes[labels[farthest]];
    labels[farthest] = c;
    sizes[c] = 1;
  }
}

Clustering Iterate(const Points& points, Points centres) {
  Clustering clustering = Assign(points, centres);
  for (size_t i = 0; i < kMaxIterations; ++i) {
    FillEmpty(points, centres, clustering.labels);
    centres = Centres(points, clustering.labels, centres.count);
    Clustering next = Assign(points, centres);
    const bool settled = next.labels == clustering.labels;
    clustering = std::move(next);
    if (settled) break;
  }
  FillEmpty(points, centres, clustering.labels);
  return clustering;
}

std::vector<size_t> NumberedByFirstPoint(const std::vector<size_t>& labels, size_t clusters) {
  std::vector<size_t> numbers(clusters, clusters);
  size_t next = 0;
  std::vector<size_t> numbered;
  for (const size_t label : labels) {
    if (numbers[label] == clusters) numbers[label] = next++;
    numbered.push_back(numbers[label]);
  }
  return numbered;
}

}  // namespace

absl::StatusOr<std::vector<size_t>> KMeans(const Points& points, const KMeansOptions& options) {
  HYDRA_RETURN_IF_ERROR(CheckInput(points, options));
  base::Rng rng = base::Rng::ForPurpose(options.seed, "k-means");
  Clustering best;
  for (size_t restart = 0; restart < options.restarts; ++restart) {
    HYDRA_ASSIGN_OR_RETURN(Points centres, SpreadCentres(points, options.clusters, rng));
    Clustering found = Iterate(points, std::move(centres));
    if (found.inertia < best.inertia) best = std::move(found);
  }
  return NumberedByFirstPoint(best.labels, options.clusters);
}

}  // namespace hydra::interpret
