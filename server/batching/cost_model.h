// Predicts how long a batch takes: seconds(n) = speed * (per_unit * n + fixed), with n the rows of
// a batch of images and the tokens of a batch of texts.
#pragma once

#include <cstddef>

#include "absl/time/time.h"
#include "absl/types/span.h"

namespace hydra::batching {

// The shape (per_unit, fixed) is fitted once, on warm-up passes of many sizes; the speed factor
// then follows the machine.  Refitting the shape on live traffic would lose it: a stream of batches
// of one size says nothing about the others.  Not thread-safe.
class CostModel {
 public:
  struct Sample {
    size_t units;  // rows of the rung that ran, padding included, or tokens
    absl::Duration duration;
  };

  // Without samples every batch is taken to be free: nothing is refused before something was
  // measured.
  CostModel() = default;

  // Least squares of the relative error, both coefficients >= 0.  Samples without units or duration
  // do not count.
  explicit CostModel(absl::Span<const Sample> samples);

  // Moves the speed factor a twentieth of the way to what `sample` says; one sample counts as a
  // factor of ten at most, so that one stall does not close the door.
  void Observe(Sample sample);

  // Of one batch.
  absl::Duration Estimate(size_t units) const;

 private:
  double per_unit_seconds_ = 0.0;
  double fixed_seconds_ = 0.0;
  double speed_ = 1.0;
};

}  // namespace hydra::batching
