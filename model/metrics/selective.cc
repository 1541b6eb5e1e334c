#include "model/metrics/selective.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/check.h"
#include "model/base/status_macros.h"

namespace hydra::metrics {
namespace {

using uncertainty::ScoredRow;

struct TieGroup {
  double score = 0.0;
  size_t rows = 0;
  size_t errors = 0;
};

absl::StatusOr<std::vector<TieGroup>> GroupTies(absl::Span<const ScoredRow> rows) {
  if (rows.empty()) return absl::InvalidArgumentError("selective risk: got no row");
  std::vector<ScoredRow> sorted(rows.begin(), rows.end());
  for (const ScoredRow& row : sorted) {
    if (std::isnan(row.score)) return absl::InvalidArgumentError("selective risk: score is NaN");
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const ScoredRow& a, const ScoredRow& b) { return a.score < b.score; });
  std::vector<TieGroup> groups;
  for (const ScoredRow& row : sorted) {
    if (groups.empty() || groups.back().score != row.score) groups.push_back({.score = row.score});
    ++groups.back().rows;
    groups.back().errors += row.correct ? 0 : 1;
  }
  return groups;
}

// Expected errors among the i surest rows, i = 1..n, over the orders of tied rows.
std::vector<double> ExpectedErrors(absl::Span<const TieGroup> groups) {
  std::vector<double> errors;
  double before = 0.0;
  for (const TieGroup& group : groups) {
    const double of_group = static_cast<double>(group.errors);
    for (size_t j = 1; j <= group.rows; ++j) {
      errors.push_back(before +
                       of_group * static_cast<double>(j) / static_cast<double>(group.rows));
    }
    before += of_group;
  }
  return errors;
}

// Trapezoid over points 1/n apart, divided by the width of [1/n, 1]; one point is its own mean.
double NormalisedTrapezoid(absl::Span<const double> values) {
  if (values.size() == 1) return values.front();
  double sum = 0.0;
  for (size_t i = 1; i < values.size(); ++i) sum += (values[i - 1] + values[i]) / 2.0;
  return sum / static_cast<double>(values.size() - 1);
}

// Trapezoid of the risk over coverage where a threshold can be.
double ThresholdTrapezoid(absl::Span<const TieGroup> groups, double n) {
  double area = 0.0, accepted = 0.0, errors = 0.0;
  double before = static_cast<double>(groups[0].errors) / static_cast<double>(groups[0].rows);
  for (const TieGroup& group : groups) {
    accepted += static_cast<double>(group.rows);
    errors += static_cast<double>(group.errors);
    const double risk = errors / accepted;
    area += (before + risk) / 2.0 * static_cast<double>(group.rows) / n;
    before = risk;
  }
  return area;
}

// e + (1 - e) ln(1 - e), continued to 1 at e = 1.
double PerfectOrderAurc(double error_rate) {
  return error_rate < 1.0 ? error_rate + (1.0 - error_rate) * std::log1p(-error_rate) : 1.0;
}

}  // namespace

absl::StatusOr<std::vector<RiskCoveragePoint>> RiskCoverageCurve(absl::Span<const ScoredRow> rows) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<TieGroup> groups, GroupTies(rows));
  std::vector<RiskCoveragePoint> curve;
  double accepted = 0.0;
  double errors = 0.0;
  for (const TieGroup& group : groups) {
    accepted += static_cast<double>(group.rows);
    errors += static_cast<double>(group.errors);
    curve.push_back({.threshold = group.score,
                     .coverage = accepted / static_cast<double>(rows.size()),
                     .risk = errors / accepted});
  }
  return curve;
}

absl::StatusOr<SelectiveMetrics> MeasureSelective(absl::Span<const ScoredRow> rows) {
  HYDRA_ASSIGN_OR_RETURN(const std::vector<TieGroup> groups, GroupTies(rows));
  const std::vector<double> errors = ExpectedErrors(groups);
  const double n = static_cast<double>(errors.size());
  std::vector<double> risk;
  std::vector<double> generalised_risk;
  SelectiveMetrics metrics{.n = errors.size(), .error_rate = errors.back() / n};
  for (size_t i = 0; i < errors.size(); ++i) {
    risk.push_back(errors[i] / static_cast<double>(i + 1));
    generalised_risk.push_back(errors[i] / n);
    metrics.aurc += risk.back() / n;
    metrics.augrc += generalised_risk.back() / n;
  }
  metrics.augrc -= metrics.error_rate / (2.0 * n);  // trapezoid that starts at coverage 0, risk 0
  metrics.e_aurc = metrics.aurc - PerfectOrderAurc(metrics.error_rate);
  metrics.aurc_trapezoid = NormalisedTrapezoid(risk);
  metrics.aurc_fd_shifts = ThresholdTrapezoid(groups, n);
  metrics.augrc_trapezoid = NormalisedTrapezoid(generalised_risk);
  return metrics;
}

std::optional<RiskCoveragePoint> CoverageAtRisk(absl::Span<const RiskCoveragePoint> curve,
                                                double risk) {
  std::optional<RiskCoveragePoint> best;
  for (const RiskCoveragePoint& point : curve) {
    if (point.risk <= risk) best = point;
  }
  return best;
}

std::optional<RiskCoveragePoint> RiskAtCoverage(absl::Span<const RiskCoveragePoint> curve,
                                                double coverage) {
  constexpr double kRounding = 1e-12;  // 0.8 of ten rows is eight rows
  for (const RiskCoveragePoint& point : curve) {
    if (point.coverage >= coverage - kRounding) return point;
  }
  return std::nullopt;
}

std::vector<RiskCoveragePoint> ThinCurve(absl::Span<const RiskCoveragePoint> curve, size_t count) {
  HYDRA_CHECK(count >= 2);
  if (curve.size() <= count) return {curve.begin(), curve.end()};
  std::vector<RiskCoveragePoint> thin = {curve.front()};
  const double first = curve.front().coverage;
  const double step = (curve.back().coverage - first) / static_cast<double>(count - 1);
  for (const RiskCoveragePoint& point : curve.subspan(1, curve.size() - 2)) {
    const double next = first + step * static_cast<double>(thin.size());
    if (point.coverage >= next && thin.size() + 1 < count) thin.push_back(point);
  }
  thin.push_back(curve.back());
  return thin;
}

}  // namespace hydra::metrics
