#include "model/calibration/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hydra::calibration {
namespace {

constexpr double kShareFloor = 1e-4;

double Total(absl::Span<const size_t> counts) {
  return static_cast<double>(std::accumulate(counts.begin(), counts.end(), size_t{0}));
}

}  // namespace

absl::StatusOr<artifact::ReferenceHistogram> QuantileHistogram(absl::Span<const double> scores,
                                                               size_t bins) {
  if (scores.empty() || bins < 2) {
    return absl::InvalidArgumentError(absl::StrCat("histogram: got ", scores.size(), " scores and ",
                                                   bins, " bins, want at least 1 and 2"));
  }
  std::vector<double> sorted(scores.begin(), scores.end());
  for (const double score : sorted) {
    if (!std::isfinite(score)) {
      return absl::InvalidArgumentError(
          absl::StrCat("histogram score: got ", score, ", want finite"));
    }
  }
  std::sort(sorted.begin(), sorted.end());
  artifact::ReferenceHistogram histogram;
  for (size_t k = 1; k < bins; ++k) {
    const double edge = sorted[(k * sorted.size() + bins - 1) / bins - 1];
    if (histogram.edges.empty() || edge > histogram.edges.back()) histogram.edges.push_back(edge);
  }
  histogram.counts.assign(histogram.edges.size() + 1, 0);
  for (const double score : sorted) ++histogram.counts[BinOf(histogram, score)];
  return histogram;
}

size_t BinOf(const artifact::ReferenceHistogram& histogram, double score) {
  if (std::isnan(score)) return histogram.edges.size();
  const auto first_at_or_above =
      std::lower_bound(histogram.edges.begin(), histogram.edges.end(), score);
  return static_cast<size_t>(first_at_or_above - histogram.edges.begin());
}

absl::StatusOr<double> PopulationStabilityIndex(absl::Span<const size_t> reference,
                                                absl::Span<const size_t> live) {
  const double reference_total = Total(reference);
  const double live_total = Total(live);
  if (reference.size() != live.size() || reference_total == 0.0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "histogram counts: got ", live.size(), " live bins against ", reference.size(),
        " reference bins holding ", reference_total, " rows, want equal lengths and a row"));
  }
  if (live_total == 0.0) return 0.0;
  double index = 0.0;
  for (size_t b = 0; b < reference.size(); ++b) {
    const double p = std::max(kShareFloor, static_cast<double>(reference[b]) / reference_total);
    const double q = std::max(kShareFloor, static_cast<double>(live[b]) / live_total);
    index += (q - p) * std::log(q / p);
  }
  return index;
}

}  // namespace hydra::calibration
