#include "model/metrics/calibration_error.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::metrics {
namespace {

// A row whose correctness is shared with the rows of equal confidence.
struct WeightedRow {
  double confidence = 0.0;
  double accuracy = 0.0;
};

absl::Status CheckInput(absl::Span<const ConfidentRow> rows, size_t bins) {
  if (rows.empty() || bins == 0) {
    return absl::InvalidArgumentError(absl::StrCat("reliability: got ", rows.size(), " rows and ",
                                                   bins, " bins, want at least 1 of each"));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!(rows[i].confidence >= 0.0 && rows[i].confidence <= 1.0 + 1e-6)) {  // float32 sums
      return absl::InvalidArgumentError(
          absl::StrCat("confidence[", i, "]: got ", rows[i].confidence, ", want 0..1"));
    }
  }
  return absl::OkStatus();
}

void Add(const WeightedRow& row, ReliabilityBin& bin) {
  ++bin.count;
  bin.mean_confidence += row.confidence;
  bin.accuracy += row.accuracy;
}

void SumsToMeans(std::vector<ReliabilityBin>& bins) {
  for (ReliabilityBin& bin : bins) {
    if (bin.count == 0) continue;
    bin.mean_confidence /= static_cast<double>(bin.count);
    bin.accuracy /= static_cast<double>(bin.count);
  }
}

// Sorted by confidence, each row with the accuracy of its group of ties.
std::vector<WeightedRow> SortAndShareTies(absl::Span<const ConfidentRow> rows) {
  std::vector<WeightedRow> sorted;
  for (const ConfidentRow& row : rows) {
    sorted.push_back({.confidence = row.confidence, .accuracy = row.correct ? 1.0 : 0.0});
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const WeightedRow& a, const WeightedRow& b) { return a.confidence < b.confidence; });
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    double correct = 0.0;
    for (end = begin; end < sorted.size() && sorted[end].confidence == sorted[begin].confidence;
         ++end) {
      correct += sorted[end].accuracy;
    }
    for (size_t i = begin; i < end; ++i) {
      sorted[i].accuracy = correct / static_cast<double>(end - begin);
    }
  }
  return sorted;
}

// torch.linspace(0, 1, bins + 1) in float32, which counts from the nearer end and rounds once.
std::vector<float> TorchEdges(size_t bins) {
  const float step = 1.0f / static_cast<float>(bins);
  std::vector<float> edges;
  for (size_t i = 0; i <= bins; ++i) {
    edges.push_back(i < (bins + 1) / 2 ? step * static_cast<float>(i)
                                       : std::fma(-step, static_cast<float>(bins - i), 1.0f));
  }
  return edges;
}

double Total(absl::Span<const ReliabilityBin> bins) {
  double total = 0.0;
  for (const ReliabilityBin& bin : bins) total += static_cast<double>(bin.count);
  return total;
}

}  // namespace

absl::StatusOr<std::vector<ReliabilityBin>> EqualWidthBins(absl::Span<const ConfidentRow> rows,
                                                           size_t bins) {
  HYDRA_RETURN_IF_ERROR(CheckInput(rows, bins));
  std::vector<ReliabilityBin> result(bins);
  const double width = 1.0 / static_cast<double>(bins);
  for (size_t b = 0; b < bins; ++b) {
    result[b].low = static_cast<double>(b) * width;
    result[b].high = b + 1 == bins ? 1.0 : static_cast<double>(b + 1) * width;
  }
  for (const ConfidentRow& row : rows) {
    const size_t bin = static_cast<size_t>(row.confidence * static_cast<double>(bins));
    Add({.confidence = row.confidence, .accuracy = row.correct ? 1.0 : 0.0},
        result[std::min(bin, bins - 1)]);
  }
  SumsToMeans(result);
  return result;
}

absl::StatusOr<std::vector<ReliabilityBin>> EqualCountBins(absl::Span<const ConfidentRow> rows,
                                                           size_t bins) {
  HYDRA_RETURN_IF_ERROR(CheckInput(rows, bins));
  const std::vector<WeightedRow> sorted = SortAndShareTies(rows);
  const size_t runs = std::min(bins, sorted.size());
  std::vector<ReliabilityBin> result(runs);
  size_t next = 0;
  for (size_t b = 0; b < runs; ++b) {
    const size_t end = next + sorted.size() / runs + (b < sorted.size() % runs ? 1 : 0);
    result[b].low = sorted[next].confidence;
    result[b].high = sorted[end - 1].confidence;
    for (; next < end; ++next) Add(sorted[next], result[b]);
  }
  SumsToMeans(result);
  return result;
}

absl::StatusOr<std::vector<ReliabilityBin>> TorchmetricsBins(absl::Span<const ConfidentRow> rows,
                                                             size_t bins) {
  HYDRA_RETURN_IF_ERROR(CheckInput(rows, bins));
  const std::vector<float> edges = TorchEdges(bins);
  std::vector<ReliabilityBin> result(bins + 1);
  for (size_t b = 0; b <= bins; ++b) {
    result[b].low = edges[b];
    result[b].high = b == bins ? 1.0 : edges[b + 1];
  }
  for (const ConfidentRow& row : rows) {
    const auto above =
        std::upper_bound(edges.begin(), edges.end(), static_cast<float>(row.confidence));
    Add({.confidence = row.confidence, .accuracy = row.correct ? 1.0 : 0.0},
        result[static_cast<size_t>(above - edges.begin()) - 1]);
  }
  SumsToMeans(result);
  return result;
}

double ExpectedCalibrationError(absl::Span<const ReliabilityBin> bins) {
  const double total = Total(bins);
  double error = 0.0;
  for (const ReliabilityBin& bin : bins) {
    if (bin.count == 0) continue;
    error += static_cast<double>(bin.count) / total * std::abs(bin.accuracy - bin.mean_confidence);
  }
  return error;
}

double RootMeanSquareCalibrationError(absl::Span<const ReliabilityBin> bins) {
  const double total = Total(bins);
  double square = 0.0;
  for (const ReliabilityBin& bin : bins) {
    const double gap = bin.accuracy - bin.mean_confidence;
    if (bin.count > 0) square += static_cast<double>(bin.count) / total * gap * gap;
  }
  return std::sqrt(square);
}

double MaximumCalibrationError(absl::Span<const ReliabilityBin> bins) {
  double error = 0.0;
  for (const ReliabilityBin& bin : bins) {
    if (bin.count > 0) error = std::max(error, std::abs(bin.accuracy - bin.mean_confidence));
  }
  return error;
}

double CalibrationNoiseFloor(absl::Span<const ReliabilityBin> bins) {
  const double total = Total(bins);
  double floor = 0.0;
  for (const ReliabilityBin& bin : bins) {
    if (bin.count == 0) continue;
    const double variance =
        std::max(0.0, bin.mean_confidence * (1.0 - bin.mean_confidence));  // of one row
    const double count = static_cast<double>(bin.count);
    floor += count / total * std::sqrt(2.0 * variance / (std::numbers::pi * count));
  }
  return floor;
}

}  // namespace hydra::metrics
