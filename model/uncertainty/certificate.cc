#include "model/uncertainty/certificate.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/binomial.h"

namespace hydra::uncertainty {
namespace {

absl::Status CheckShare(double value, absl::string_view name) {
  if (value > 0.0 && value < 1.0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": got ", value, ", want more than 0 and less than 1"));
}

absl::Status CheckCut(const artifact::CertificateTable& table, size_t i) {
  const artifact::CertificateCut& cut = table.cuts[i];
  const artifact::CertificateCut before =
      i == 0 ? artifact::CertificateCut{.threshold = -INFINITY} : table.cuts[i - 1];
  if (!std::isfinite(cut.threshold) || !(cut.threshold > before.threshold)) {
    return absl::InvalidArgumentError(absl::StrCat("cuts[", i, "].threshold: got ", cut.threshold,
                                                   " after ", before.threshold,
                                                   ", want finite and ascending"));
  }
  if (cut.accepted < before.accepted || cut.errors < before.errors ||
      cut.errors - before.errors > cut.accepted - before.accepted || cut.accepted > table.n) {
    return absl::InvalidArgumentError(absl::StrCat("cuts[", i, "]: got ", cut.errors, " errors in ",
                                                   cut.accepted, " accepted of n = ", table.n,
                                                   ", which contradicts n or the cut before"));
  }
  return absl::OkStatus();
}

CutFacts FactsOf(const artifact::CertificateCut& cut, size_t n, double delta_per_cut) {
  const double accepted = static_cast<double>(cut.accepted);
  const double errors = static_cast<double>(cut.errors);
  return {.threshold = cut.threshold,
          .accepted = cut.accepted,
          .errors = cut.errors,
          .coverage = accepted / static_cast<double>(n),
          .empirical_risk = cut.accepted == 0 ? 0.0 : errors / accepted,
          .risk_bound = BinomialUpperBound(errors, accepted, delta_per_cut)};
}

// The smallest n of the certify split for which a cut that keeps its coverage and error rate has a
// bound of at most `target`.
std::optional<size_t> RowsNeeded(const CutFacts& cut, double target, double delta_per_cut) {
  constexpr double kMostRows = 1e9;
  if (cut.accepted == 0 || cut.empirical_risk >= target) return std::nullopt;
  const auto reaches = [&](double rows) {
    const double accepted = cut.coverage * rows;
    return BinomialUpperBound(cut.empirical_risk * accepted, accepted, delta_per_cut) <= target;
  };
  double high = 1.0;
  while (!reaches(high)) {
    high *= 2.0;
    if (high > kMostRows) return std::nullopt;
  }
  double low = high / 2.0;
  while (high - low > 1.0) {
    const double middle = std::floor(low + (high - low) / 2.0);
    (reaches(middle) ? high : low) = middle;
  }
  return static_cast<size_t>(std::ceil(high));
}

std::string ExplainInfeasible(absl::Span<const CutFacts> cuts, size_t n, double target,
                              std::optional<size_t> rows_needed) {
  const CutFacts& best = *std::min_element(
      cuts.begin(), cuts.end(),
      [](const CutFacts& a, const CutFacts& b) { return a.risk_bound < b.risk_bound; });
  std::string text =
      absl::StrCat("no declared cut has a risk bound of at most ", target, ": the lowest is ",
                   best.risk_bound, " at threshold ", best.threshold, " (", best.errors,
                   " errors in ", best.accepted, " accepted of ", n, " rows)");
  if (rows_needed.has_value()) {
    absl::StrAppend(&text, "; about ", *rows_needed,
                    " rows would do if coverage and error rate stayed the same");
  } else {
    absl::StrAppend(&text, "; no cut's measured risk is below the target, so more rows won't help");
  }
  return text;
}

}  // namespace

absl::Status CheckTable(const artifact::CertificateTable& table) {
  if (table.cuts.empty() || table.n == 0) {
    return absl::InvalidArgumentError(absl::StrCat("certificate table: got ", table.cuts.size(),
                                                   " cuts on ", table.n,
                                                   " rows, want at least 1 of each"));
  }
  for (size_t i = 0; i < table.cuts.size(); ++i) HYDRA_RETURN_IF_ERROR(CheckCut(table, i));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<CutFacts>> DescribeCuts(const artifact::CertificateTable& table,
                                                   double delta) {
  HYDRA_RETURN_IF_ERROR(CheckShare(delta, "delta"));
  HYDRA_RETURN_IF_ERROR(CheckTable(table));
  const double delta_per_cut = delta / static_cast<double>(table.cuts.size());
  std::vector<CutFacts> facts;
  for (const artifact::CertificateCut& cut : table.cuts) {
    facts.push_back(FactsOf(cut, table.n, delta_per_cut));
  }
  return facts;
}

absl::StatusOr<CutSearch> FindCutForRisk(const artifact::CertificateTable& table,
                                         double target_risk, double delta) {
  HYDRA_RETURN_IF_ERROR(CheckShare(target_risk, "target risk"));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<CutFacts> cuts, DescribeCuts(table, delta));
  CutSearch search;
  for (const CutFacts& cut : cuts) {
    if (cut.risk_bound <= target_risk) search.cut = cut;
  }
  if (search.cut.has_value()) return search;
  for (const CutFacts& cut : cuts) {
    const std::optional<size_t> rows =
        RowsNeeded(cut, target_risk, delta / static_cast<double>(cuts.size()));
    if (!rows.has_value()) continue;
    search.rows_needed = std::min(*rows, search.rows_needed.value_or(*rows));
  }
  search.explanation = ExplainInfeasible(cuts, table.n, target_risk, search.rows_needed);
  return search;
}

absl::StatusOr<CutSearch> FindCutForCoverage(const artifact::CertificateTable& table,
                                             double target_coverage, double delta) {
  if (!(target_coverage > 0.0 && target_coverage <= 1.0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("target coverage: got ", target_coverage, ", want more than 0 and at most 1"));
  }
  HYDRA_ASSIGN_OR_RETURN(const std::vector<CutFacts> cuts, DescribeCuts(table, delta));
  CutSearch search;
  for (const CutFacts& cut : cuts) {
    if (cut.coverage < target_coverage) continue;
    search.cut = cut;
    return search;
  }
  search.explanation = absl::StrCat("no declared cut covers ", target_coverage,
                                    " of the rows: the largest coverage is ", cuts.back().coverage,
                                    " at threshold ", cuts.back().threshold);
  return search;
}

absl::StatusOr<ThresholdFacts> DescribeThreshold(const artifact::CertificateTable& table,
                                                 double threshold, double delta) {
  if (std::isnan(threshold)) return absl::InvalidArgumentError("threshold: got NaN");
  HYDRA_ASSIGN_OR_RETURN(const std::vector<CutFacts> cuts, DescribeCuts(table, delta));
  ThresholdFacts facts;
  for (const CutFacts& cut : cuts) {
    if (cut.threshold == threshold) facts.declared = cut;
    if (cut.threshold < threshold) facts.below = cut;
    if (cut.threshold > threshold && !facts.above.has_value()) facts.above = cut;
  }
  return facts;
}

}  // namespace hydra::uncertainty
