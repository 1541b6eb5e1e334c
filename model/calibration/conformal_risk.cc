#include "model/calibration/conformal_risk.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::calibration {
namespace {

using uncertainty::ScoredRow;

constexpr double kRounding = 1e-12;  // (9 + 1) / (99 + 1) is at most 0.1

absl::Status CheckInput(absl::Span<const double> loss_sums, size_t n, double largest_loss,
                        double alpha) {
  if (!(largest_loss > 0.0 && std::isfinite(largest_loss)) ||
      !(alpha > 0.0 && alpha < largest_loss)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "alpha ", alpha, " and largest loss ", largest_loss, ": want 0 < alpha < largest loss"));
  }
  if (loss_sums.empty() || n == 0) {
    return absl::InvalidArgumentError(absl::StrCat("expected loss: got ", loss_sums.size(),
                                                   " candidates and ", n,
                                                   " rows, want at least 1 of each"));
  }
  const double most = largest_loss * static_cast<double>(n);
  double before = 0.0;
  for (size_t k = 0; k < loss_sums.size(); ++k) {
    if (!(loss_sums[k] >= before && loss_sums[k] <= most)) {
      return absl::InvalidArgumentError(absl::StrCat("loss_sums[", k, "]: got ", loss_sums[k],
                                                     " after ", before,
                                                     ", want non-decreasing in "
                                                     "0..",
                                                     most));
    }
    before = loss_sums[k];
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ControlledLoss> ControlExpectedLoss(absl::Span<const double> loss_sums, size_t n,
                                                   double largest_loss, double alpha) {
  HYDRA_RETURN_IF_ERROR(CheckInput(loss_sums, n, largest_loss, alpha));
  const double rows = static_cast<double>(n);
  const auto bound = [&](double sum) { return (sum + largest_loss) / (rows + 1.0); };
  ControlledLoss controlled{.bound = bound(0.0)};
  for (size_t k = 0; k < loss_sums.size(); ++k) {
    if (bound(loss_sums[k]) > alpha + kRounding) break;
    controlled.candidate = k;
    controlled.bound = bound(loss_sums[k]);
  }
  if (controlled.candidate.has_value()) return controlled;
  if (bound(0.0) > alpha + kRounding) {
    controlled.rows_needed = static_cast<size_t>(std::ceil(largest_loss / alpha - kRounding)) - 1;
    controlled.explanation =
        absl::StrCat("got ", n, " rows, want at least ", *controlled.rows_needed,
                     " for an expected loss of at most ", alpha);
  } else {
    controlled.explanation = absl::StrCat("the first candidate has the bound ", bound(loss_sums[0]),
                                          ", want at most ", alpha);
  }
  return controlled;
}

absl::StatusOr<GeneralisedRiskCut> ControlGeneralisedRisk(absl::Span<const ScoredRow> rows,
                                                          double alpha) {
  std::vector<ScoredRow> sorted(rows.begin(), rows.end());
  for (const ScoredRow& row : sorted) {
    if (!std::isfinite(row.score)) {
      return absl::InvalidArgumentError(absl::StrCat("score: got ", row.score, ", want finite"));
    }
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const ScoredRow& a, const ScoredRow& b) { return a.score < b.score; });
  std::vector<size_t> ends;       // rows accepted at each distinct score
  std::vector<double> loss_sums;  // and the errors among them
  double errors = 0.0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    errors += sorted[i].correct ? 0.0 : 1.0;
    if (i + 1 < sorted.size() && sorted[i + 1].score == sorted[i].score) continue;
    ends.push_back(i + 1);
    loss_sums.push_back(errors);
  }
  HYDRA_ASSIGN_OR_RETURN(const ControlledLoss controlled,
                         ControlExpectedLoss(loss_sums, rows.size(), 1.0, alpha));
  GeneralisedRiskCut cut{.rows_needed = controlled.rows_needed,
                         .explanation = controlled.explanation};
  if (!controlled.candidate.has_value()) return cut;
  cut.accepted = ends[*controlled.candidate];
  cut.errors = static_cast<size_t>(loss_sums[*controlled.candidate]);
  cut.threshold = sorted[cut.accepted - 1].score;
  return cut;
}

}  // namespace hydra::calibration
