// Logistic regression on a few columns.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::builder {

struct LogisticRow {
  std::vector<double> x;
  bool y = false;
  double weight = 1.0;
};

struct LogisticModel {
  std::vector<double> weights;
  double intercept = 0.0;

  // intercept + weights . x, the log-odds of y.
  double LogOdds(absl::Span<const double> x) const;
};

// argmin of sum_i w_i log(1 + exp(-z_i)) / sum_i w_i + ridge / 2 |weights|^2 with z_i the log-odds
// of the row's own y, by Newton's method with halved steps.  The intercept is not penalised.
// Errors: INVALID_ARGUMENT no row, rows of different lengths, a value that is not finite, only one
// y, a weight or a ridge that is not positive.
absl::StatusOr<LogisticModel> FitLogistic(absl::Span<const LogisticRow> rows, double ridge);

}  // namespace hydra::builder
