#include "model/builder/quality/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"

namespace hydra::builder {
namespace {

// The value at rank round(q * (n - 1)) of ascending values.
double Quantile(const std::vector<double>& ascending, double q) {
  const double rank = std::round(q * static_cast<double>(ascending.size() - 1));
  return ascending[static_cast<size_t>(rank)];
}

}  // namespace

absl::StatusOr<Interval> BootstrapInterval(
    size_t rows, const BootstrapOptions& options,
    absl::FunctionRef<absl::StatusOr<double>(absl::Span<const size_t>)> statistic) {
  if (rows == 0 || options.resamples == 0 || !(options.level > 0.0 && options.level < 1.0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("bootstrap: got ", rows, " rows, ", options.resamples, " resamples and level ",
                     options.level, ", want at least 1 of each and a level inside (0, 1)"));
  }
  base::Rng rng = base::Rng::ForPurpose(options.seed, "bootstrap intervals");
  std::vector<double> values;
  std::vector<size_t> indices(rows);
  for (size_t r = 0; r < options.resamples; ++r) {
    for (size_t& index : indices) index = rng.UniformBelow(rows);
    HYDRA_ASSIGN_OR_RETURN(values.emplace_back(), statistic(indices));
  }
  std::sort(values.begin(), values.end());
  const double tail = (1.0 - options.level) / 2.0;
  return Interval{Quantile(values, tail), Quantile(values, 1.0 - tail)};
}

}  // namespace hydra::builder
