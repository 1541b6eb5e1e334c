#include "model/interpret/head_clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/interpret/cluster_quality.h"
#include "model/interpret/eigenspaces.h"
#include "model/interpret/graph_laplacian.h"
#include "model/interpret/k_means.h"

namespace hydra::interpret {
namespace {

// Deviations below this share of the values' size are the rounding of a constant.
constexpr double kConstant = 1e-12;

absl::Status CheckFeatures(absl::Span<const double> features, size_t columns) {
  if (columns == 0 || features.size() % columns != 0 || features.size() / columns < 2) {
    return absl::InvalidArgumentError(absl::StrCat("features: got ", features.size(),
                                                   " values, want at least 2 rows of ", columns));
  }
  for (size_t i = 0; i < features.size(); ++i) {
    if (std::isfinite(features[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat("features: row ", i / columns, ", column ",
                                                   i % columns, ": got ", features[i],
                                                   ", want a finite number"));
  }
  return absl::OkStatus();
}

void Standardize(std::vector<double>& values, size_t begin, size_t count) {
  const auto column = absl::MakeSpan(values).subspan(begin, count);
  double mean = 0.0, size = 0.0, squares = 0.0;
  for (const double value : column) {
    mean += value / static_cast<double>(count);
    size = std::max(size, std::abs(value));
  }
  for (double& value : column) {
    value -= mean;
    squares += value * value;
  }
  const double length = std::sqrt(squares);
  const bool constant = length <= kConstant * size * std::sqrt(static_cast<double>(count));
  for (double& value : column) value = constant ? 0.0 : value / length;
}

double Weight(double rho, Affinity affinity) {
  const double bounded = std::clamp(rho, -1.0, 1.0);
  return affinity == Affinity::kShifted ? 0.5 * (1.0 + bounded) : std::max(bounded, 0.0);
}

std::vector<double> Affinities(const Points& profiles, Affinity affinity) {
  const size_t n = profiles.count;
  std::vector<double> weights(n * n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < i; ++j) {
      double rho = 0.0;
      for (size_t d = 0; d < profiles.width; ++d) rho += profiles.row(i)[d] * profiles.row(j)[d];
      weights[i * n + j] = weights[j * n + i] = Weight(rho, affinity);
    }
  }
  return weights;
}

struct Embedding {
  Points points;
  bool degenerate = false;
};

absl::StatusOr<Embedding> Embed(const std::vector<double>& weights, size_t heads, size_t width) {
  HYDRA_ASSIGN_OR_RETURN(const GraphLaplacian laplacian, NormalizedLaplacian(weights, heads));
  HYDRA_ASSIGN_OR_RETURN(const Eigenpairs pairs,
                         SmallestEigenpairs(laplacian.matrix, heads, width));
  Embedding embedding{.points = {.count = heads, .width = width}};
  for (size_t i = 0; i < heads; ++i) {
    for (size_t c = 0; c < width; ++c) {
      embedding.points.values.push_back(pairs.vectors[c][i] / std::sqrt(laplacian.degrees[i]));
    }
  }
  embedding.degenerate =
      std::find(pairs.degenerate.begin(), pairs.degenerate.end(), true) != pairs.degenerate.end();
  return embedding;
}

std::vector<HeadPlace> NearestToCentres(const Points& profiles, absl::Span<const size_t> labels,
                                        size_t clusters, size_t heads) {
  const Points centres = Centres(profiles, labels, clusters);
  std::vector<HeadPlace> places(clusters);
  std::vector<double> nearest(clusters, std::numeric_limits<double>::infinity());
  for (size_t i = 0; i < profiles.count; ++i) {
    const double distance = SquaredDistance(profiles.row(i), centres.row(labels[i]));
    if (distance >= nearest[labels[i]]) continue;
    nearest[labels[i]] = distance;
    places[labels[i]] = {.layer = i / heads, .head = i % heads};
  }
  return places;
}

}  // namespace

absl::StatusOr<Affinity> ParseAffinity(const std::string& name) {
  if (name == "shifted") return Affinity::kShifted;
  if (name == "positive") return Affinity::kPositive;
  return absl::InvalidArgumentError(
      absl::StrCat("affinity: got \"", name, "\", want shifted or positive"));
}

absl::StatusOr<Points> Profiles(absl::Span<const double> features, size_t columns) {
  HYDRA_RETURN_IF_ERROR(CheckFeatures(features, columns));
  const size_t rows = features.size() / columns;
  Points profiles{.count = columns, .width = rows, .values = std::vector<double>(features.size())};
  for (size_t c = 0; c < columns; ++c) {
    for (size_t r = 0; r < rows; ++r) profiles.values[c * rows + r] = features[r * columns + c];
    Standardize(profiles.values, c * rows, rows);
  }
  return profiles;
}

absl::StatusOr<HeadClusters> ClusterHeads(absl::Span<const double> features, HeadGrid grid,
                                          const ClusterOptions& options) {
  const size_t heads = grid.layers * grid.heads;
  HYDRA_ASSIGN_OR_RETURN(const Points profiles, Profiles(features, heads));
  if (options.clusters < 2 || options.clusters >= heads) {
    return absl::InvalidArgumentError(absl::StrCat("clusters: got ", options.clusters,
                                                   ", want at least 2 and fewer than the ", heads,
                                                   " heads"));
  }
  HYDRA_ASSIGN_OR_RETURN(const Embedding embedding,
                         Embed(Affinities(profiles, options.affinity), heads, options.clusters));
  HYDRA_ASSIGN_OR_RETURN(
      const std::vector<size_t> labels,
      KMeans(embedding.points, {.clusters = options.clusters, .seed = options.seed}));
  HYDRA_ASSIGN_OR_RETURN(const ClusterQuality quality,
                         MeasureClusters(profiles, labels, options.clusters));
  HeadClusters clusters{
      .representatives = NearestToCentres(profiles, labels, options.clusters, grid.heads),
      .davies_bouldin = quality.davies_bouldin,
      .silhouette = quality.silhouette,
      .degenerate = embedding.degenerate};
  for (size_t l = 0; l < grid.layers; ++l) {
    const auto begin = labels.begin() + static_cast<std::ptrdiff_t>(l * grid.heads);
    clusters.ids.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(grid.heads));
  }
  return clusters;
}

}  // namespace hydra::interpret
