// Whether confidence means what it says: reliability bins and the errors that follow from them.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::metrics {

inline constexpr size_t kReliabilityBins = 15;

struct ConfidentRow {
  double confidence = 0.0;  // largest probability of the row, in [0, 1]
  bool correct = false;
};

struct ReliabilityBin {
  double low = 0.0;
  double high = 0.0;
  size_t count = 0;
  double mean_confidence = 0.0;  // 0 for an empty bin
  double accuracy = 0.0;         // 0 for an empty bin
};

// `bins` equal intervals [low, high) of [0, 1]; a confidence of exactly 1 belongs to the last bin.
// Errors: INVALID_ARGUMENT if there is no row, no bin, or a confidence outside [0, 1].
absl::StatusOr<std::vector<ReliabilityBin>> EqualWidthBins(absl::Span<const ConfidentRow> rows,
                                                           size_t bins = kReliabilityBins);

// Rows sorted by confidence in `bins` runs whose lengths differ by at most one, the longer first.
// Rows of equal confidence share their mean accuracy, so the order of the rows does not matter.
// With fewer rows than bins there are as many bins as rows.  Errors: as EqualWidthBins.
absl::StatusOr<std::vector<ReliabilityBin>> EqualCountBins(absl::Span<const ConfidentRow> rows,
                                                           size_t bins = kReliabilityBins);

// As torchmetrics bins: edges are float32 multiples, and a confidence of exactly 1 has a bin of its
// own behind the last, so there are bins + 1.  For comparisons with that library only.
// Errors: as EqualWidthBins.
absl::StatusOr<std::vector<ReliabilityBin>> TorchmetricsBins(absl::Span<const ConfidentRow> rows,
                                                             size_t bins = kReliabilityBins);

// sum_b (n_b / n) |acc_b - conf_b|: ECE over equal-width bins (Naeini et al. 2015; Guo et al.
// 2017), adaptive ECE over equal-count bins (Nguyen & O'Connor 2015).  0 without rows.
double ExpectedCalibrationError(absl::Span<const ReliabilityBin> bins);

// sqrt(sum_b (n_b / n) (acc_b - conf_b)^2): the l2 form of the ECE.
double RootMeanSquareCalibrationError(absl::Span<const ReliabilityBin> bins);

// max_b |acc_b - conf_b| over bins that hold a row.
double MaximumCalibrationError(absl::Span<const ReliabilityBin> bins);

// The ECE that a perfectly calibrated model shows on this many rows: sum_b (n_b / n) sqrt(2 c_b (1
// - c_b) / (pi n_b)), the half-normal mean of a binomial deviation in each bin.
double CalibrationNoiseFloor(absl::Span<const ReliabilityBin> bins);

}  // namespace hydra::metrics
