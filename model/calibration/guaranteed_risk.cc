#include "model/calibration/guaranteed_risk.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/binomial.h"

namespace hydra::calibration {
namespace {

using uncertainty::CutFacts;
using uncertainty::CutSearch;
using uncertainty::ScoredRow;

absl::Status CheckInput(absl::Span<const ScoredRow> rows, double target_risk, double delta) {
  if (!(target_risk > 0.0 && target_risk < 1.0) || !(delta > 0.0 && delta < 1.0)) {
    return absl::InvalidArgumentError(absl::StrCat("target risk ", target_risk, " and delta ",
                                                   delta, ": want more than 0 and less than 1"));
  }
  if (rows.empty()) return absl::InvalidArgumentError("rows: got none");
  for (const ScoredRow& row : rows) {
    if (!std::isfinite(row.score)) {
      return absl::InvalidArgumentError(absl::StrCat("score: got ", row.score, ", want finite"));
    }
  }
  return absl::OkStatus();
}

// One entry per distinct score, ascending.
std::vector<CutFacts> DistinctCuts(absl::Span<const ScoredRow> rows) {
  std::vector<ScoredRow> sorted(rows.begin(), rows.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const ScoredRow& a, const ScoredRow& b) { return a.score < b.score; });
  std::vector<CutFacts> cuts;
  size_t errors = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    errors += sorted[i].correct ? 0 : 1;
    if (i + 1 < sorted.size() && sorted[i + 1].score == sorted[i].score) continue;
    const double accepted = static_cast<double>(i + 1);
    cuts.push_back({.threshold = sorted[i].score,
                    .accepted = i + 1,
                    .errors = errors,
                    .coverage = accepted / static_cast<double>(sorted.size()),
                    .empirical_risk = static_cast<double>(errors) / accepted});
  }
  return cuts;
}

// Cuts that the search over n of n rows visits.
double StepsOf(double rows) { return std::max(1.0, std::ceil(std::log2(rows))); }

// The fewest rows with which `cut` would be certified at its measured coverage and risk; unset if
// its risk is at or over the target.
std::optional<size_t> RowsNeeded(const CutFacts& cut, double target_risk, double delta) {
  if (cut.empirical_risk >= target_risk) return std::nullopt;
  const auto certified = [&](double rows) {
    const double accepted = rows * cut.coverage;
    return uncertainty::BinomialUpperBound(accepted * cut.empirical_risk, accepted,
                                           delta / StepsOf(rows)) <= target_risk;
  };
  constexpr double kMostRows = 1e12;
  double high = 2.0;
  while (!certified(high)) {
    high *= 2.0;
    if (high > kMostRows) return std::nullopt;
  }
  double low = high / 2.0;
  while (high - low > 1.0) {
    const double middle = std::floor((low + high) / 2.0);
    (certified(middle) ? high : low) = middle;
  }
  return static_cast<size_t>(high);
}

void ExplainInfeasible(const std::vector<CutFacts>& cuts, double target_risk, double delta,
                       CutSearch& search) {
  constexpr size_t kCutsTried = 32;  // spread over all: a dense search would cost seconds
  const size_t stride = std::max<size_t>(1, cuts.size() / kCutsTried);
  for (size_t i = 0; i < cuts.size(); i += stride) {
    const std::optional<size_t> rows = RowsNeeded(cuts[i], target_risk, delta);
    if (rows.has_value()) search.rows_needed = std::min(*rows, search.rows_needed.value_or(*rows));
  }
  search.explanation =
      absl::StrCat("infeasible: no visited cut has a risk bound of at most ", target_risk);
  if (search.rows_needed.has_value()) {
    absl::StrAppend(&search.explanation, "; at the measured rates ", *search.rows_needed,
                    " rows would do");
  } else {
    absl::StrAppend(&search.explanation, ", nor is any measured risk below it");
  }
}

}  // namespace

absl::StatusOr<CutSearch> SelectWithGuaranteedRisk(absl::Span<const ScoredRow> rows,
                                                   double target_risk, double delta) {
  HYDRA_RETURN_IF_ERROR(CheckInput(rows, target_risk, delta));
  std::vector<CutFacts> cuts = DistinctCuts(rows);
  const double steps = StepsOf(static_cast<double>(rows.size()));
  CutSearch search;
  size_t low = 0;
  size_t high = cuts.size();
  for (int step = 0; step < static_cast<int>(steps) && low < high; ++step) {
    CutFacts& cut = cuts[low + (high - low) / 2];
    cut.risk_bound = uncertainty::BinomialUpperBound(
        static_cast<double>(cut.errors), static_cast<double>(cut.accepted), delta / steps);
    if (cut.risk_bound <= target_risk) {
      search.cut = cut;
      low = low + (high - low) / 2 + 1;
    } else {
      high = low + (high - low) / 2;
    }
  }
  if (!search.cut.has_value()) ExplainInfeasible(cuts, target_risk, delta, search);
  return search;
}

}  // namespace hydra::calibration
