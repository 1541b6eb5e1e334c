// Percentile bootstrap intervals (Efron 1979) of any statistic of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::builder {

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

struct BootstrapOptions {
  size_t resamples = 300;
  double level = 0.95;
  uint64_t seed = 0;
};

// `statistic` gets the indices of a resample of 0..rows-1.  Two calls with the same options and
// rows draw the same resamples, so intervals of systems on the same rows are paired.
// Errors: INVALID_ARGUMENT no row, no resample or a level outside (0, 1); the statistic's own.
absl::StatusOr<Interval> BootstrapInterval(
    size_t rows, const BootstrapOptions& options,
    absl::FunctionRef<absl::StatusOr<double>(absl::Span<const size_t>)> statistic);

}  // namespace hydra::builder
