// Predicts how long a batch takes: seconds(n) = per_row * n + fixed.
#pragma once

#include <cstddef>
#include <utility>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace hydra::batching {

// Weighted least squares over (rows, seconds) with exponential forgetting, so that the model
// follows a machine that slows down or speeds up.  Both coefficients are kept >= 0.  Not
// thread-safe.
class CostModel {
 public:
  struct Sample {
    size_t rows;  // rows of the rung that ran, padding included
    absl::Duration duration;
  };

  // Without samples every batch is taken to be free: nothing is refused before something was
  // measured.
  CostModel() = default;
  explicit CostModel(absl::Span<const Sample> samples);

  void Observe(Sample sample);

  // Of one batch of `rows` rows.
  absl::Duration Estimate(size_t rows) const;

  absl::Duration per_row() const { return absl::Seconds(per_row_); }
  absl::Duration fixed() const { return absl::Seconds(fixed_); }

 private:
  void Refit();

  double weight_ = 0.0;  // sums of w, w*n, w*n^2, w*t, w*n*t
  double rows_ = 0.0;
  double rows_squared_ = 0.0;
  double seconds_ = 0.0;
  double rows_seconds_ = 0.0;
  double per_row_ = 0.0;
  double fixed_ = 0.0;
};

}  // namespace hydra::batching
