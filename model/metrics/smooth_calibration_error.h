// Calibration error without bins.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/metrics/calibration_error.h"

namespace hydra::metrics {

struct SmoothCalibration {
  double error = 0.0;
  double bandwidth = 0.0;
};

// Smooth ECE (Blasiok & Nakkiran 2024) with a Gaussian kernel in log-odds, as relplot and
// torch-uncertainty compute it: the mean over [0, 1], weighted by the kernel density of the
// confidences, of the absolute kernel-smoothed difference of confidence and correctness; 200 mesh
// points (10 / bandwidth if more), the bandwidth by ten bisections of its fixed point, at which it
// equals the error.  Does not depend on the order of the rows beyond rounding.
// Errors: INVALID_ARGUMENT if there is no row or a confidence is outside [0, 1].
absl::StatusOr<SmoothCalibration> SmoothCalibrationError(absl::Span<const ConfidentRow> rows);

}  // namespace hydra::metrics
