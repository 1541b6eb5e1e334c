#include "model/calibration/conformal_quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::calibration {
namespace {

// (n + 1)(1 - alpha) that is a whole number in decimals may come out a rounding error above it.
constexpr double kRounding = 1e-9;

}  // namespace

absl::StatusOr<double> SplitConformalQuantile(std::vector<double> scores, double alpha) {
  if (!(alpha > 0.0 && alpha < 1.0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("alpha: got ", alpha, ", want more than 0 and less than 1"));
  }
  if (scores.empty()) return absl::InvalidArgumentError("conformal scores: got none");
  for (const double score : scores) {
    if (std::isnan(score)) return absl::InvalidArgumentError("conformal score: got NaN");
  }
  const double wanted = (static_cast<double>(scores.size()) + 1.0) * (1.0 - alpha);
  const size_t rank = static_cast<size_t>(std::max(1.0, std::ceil(wanted - kRounding)));
  if (rank > scores.size()) return std::numeric_limits<double>::infinity();
  const auto nth = scores.begin() + static_cast<ptrdiff_t>(rank - 1);
  std::nth_element(scores.begin(), nth, scores.end());
  return *nth;
}

size_t ConformalRowsNeeded(double alpha) {
  return static_cast<size_t>(std::ceil(1.0 / alpha - kRounding)) - 1;
}

absl::StatusOr<artifact::ConformalQuantile> CalibrateConformal(
    absl::Span<const uncertainty::Answer> answers, absl::Span<const size_t> labels,
    uncertainty::ConformalMethod method, double alpha) {
  if (answers.size() != labels.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("labels: got ", labels.size(), ", want one per row, ", answers.size()));
  }
  std::vector<double> scores;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (labels[i] >= answers[i].mean_probs.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "labels[", i, "]: got ", labels[i], ", want below ", answers[i].mean_probs.size()));
    }
    scores.push_back(uncertainty::ConformalScore(answers[i].mean_probs, labels[i], method));
  }
  HYDRA_ASSIGN_OR_RETURN(const double quantile, SplitConformalQuantile(scores, alpha));
  if (std::isinf(quantile)) {
    return absl::FailedPreconditionError(
        absl::StrCat("conformal split: got ", scores.size(), " rows, want at least ",
                     ConformalRowsNeeded(alpha), " for alpha ", alpha));
  }
  return artifact::ConformalQuantile{
      .method = std::string(uncertainty::ConformalMethodName(method)),
      .alpha = alpha,
      .quantile = quantile,
      .n = scores.size()};
}

}  // namespace hydra::calibration
