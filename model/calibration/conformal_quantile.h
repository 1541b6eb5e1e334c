// The quantile that makes a conformal set cover; model/uncertainty/conformal.h applies it.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/calibration.h"
#include "model/uncertainty/answer.h"
#include "model/uncertainty/conformal.h"

namespace hydra::calibration {

// The ceil((n + 1)(1 - alpha))-th smallest of n calibration scores (Vovk et al. 2005; Angelopoulos
// & Bates 2023, section 1), or infinity if that rank exceeds n. Errors: INVALID_ARGUMENT if there
// is no score, one is NaN, or alpha is not in (0, 1).
absl::StatusOr<double> SplitConformalQuantile(std::vector<double> scores, double alpha);

// The smallest n whose rank is within n: ceil(1 / alpha) - 1.  0 < alpha < 1.
size_t ConformalRowsNeeded(double alpha);

// The entry of calibration.json for one method, from the rows of the conformal split.
// Errors: INVALID_ARGUMENT if lengths differ or a label is not a class; FAILED_PRECONDITION if
// there are too few rows for a finite quantile, naming how many are needed.
absl::StatusOr<artifact::ConformalQuantile> CalibrateConformal(
    absl::Span<const uncertainty::Answer> answers, absl::Span<const size_t> labels,
    uncertainty::ConformalMethod method, double alpha);

}  // namespace hydra::calibration
