// Heads that look at inputs alike, as clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/interpret/points.h"

namespace hydra::interpret {

// How a correlation rho in [-1, 1] becomes a weight; the source does not say.
enum class Affinity {
  kShifted,   // (1 + rho) / 2
  kPositive,  // max(rho, 0)
};
absl::StatusOr<Affinity> ParseAffinity(const std::string& name);  // "shifted", "positive"

struct HeadGrid {
  size_t layers = 0;
  size_t heads = 0;  // of every layer
};

struct ClusterOptions {
  size_t clusters = 3;  // 2..layers*heads-1
  Affinity affinity = Affinity::kShifted;
  uint64_t seed = 0;  // of k-means
};

struct HeadPlace {
  size_t layer = 0;
  size_t head = 0;

  bool operator==(const HeadPlace&) const = default;
};

struct HeadClusters {
  std::vector<std::vector<size_t>> ids;    // [layers][heads], numbered by their first head
  std::vector<HeadPlace> representatives;  // of each cluster: the head nearest to the centre
  double davies_bouldin = 0.0;             // cluster_quality.h
  double silhouette = 0.0;
  bool degenerate = false;  // the embedding's eigenvalues are; see eigenspaces.h
};

// `features`: [n, columns] -> [columns, n]: every column minus its mean, scaled to length 1, so
// that the product of two is their Pearson correlation and their squared distance 2 (1 - rho).  A
// column that does not vary gives zeros. Errors: INVALID_ARGUMENT sizes that do not fit, n < 2, or
// a value that is not finite.
absl::StatusOr<Points> Profiles(absl::Span<const double> features, size_t columns);

// `features`: [n, layers * heads], one row an input.  Correlates the heads, takes the affinity
// without its diagonal, embeds every head by the `clusters` smallest eigenvectors of its normalised
// Laplacian, each divided by the root of the degree (Shi and Malik 2000), and clusters the
// embedding by KMeans.  Centres and quality are measured between the heads' Profiles.
// Errors: INVALID_ARGUMENT as Profiles, or clusters out of range; FAILED_PRECONDITION a head whose
// affinity to all others is 0 (reason ISOLATED_NODE), or as KMeans and MeasureClusters.
absl::StatusOr<HeadClusters> ClusterHeads(absl::Span<const double> features, HeadGrid grid,
                                          const ClusterOptions& options);

}  // namespace hydra::interpret
