// Reading a certificate table: thresholds whose selective risk is bounded with confidence 1 -
// delta, for a grid of cuts that was declared before the certify split was looked at.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/calibration.h"

namespace hydra::uncertainty {

// What the certify split says about accepting every row with score <= threshold.
struct CutFacts {
  double threshold = 0.0;
  size_t accepted = 0;
  size_t errors = 0;
  double coverage = 0.0;        // accepted / n
  double empirical_risk = 0.0;  // errors / accepted; 0 if nothing is accepted
  double risk_bound = 1.0;      // holds for all declared cuts at once with confidence 1 - delta
};

// The answer to "which cut?".  Without a cut, `explanation` says why and, where more data could
// help, `rows_needed` how many rows the certify split would have to hold.
struct CutSearch {
  std::optional<CutFacts> cut;
  std::optional<size_t> rows_needed;
  std::string explanation;
};

// A threshold against the declared cuts.  Only a declared cut has a bound: the risk between two
// cuts is not bounded by the risk at either of them.
struct ThresholdFacts {
  std::optional<CutFacts> declared;  // set if the threshold is a declared cut
  std::optional<CutFacts> below;     // the largest cut under the threshold
  std::optional<CutFacts> above;     // the smallest cut over it
};

// Errors: INVALID_ARGUMENT if the table contradicts itself: no cut, no row, thresholds that are not
// finite and ascending, counts that fall, errors > accepted, accepted > n.
absl::Status CheckTable(const artifact::CertificateTable& table);

// Every cut with its simultaneous bound: Clopper-Pearson at delta / (number of cuts), so that
// P(some cut's true risk exceeds its bound) <= delta by the union bound, however many targets are
// tried later.  Rows must be i.i.d.; errors among the accepted are binomial given their number.
// Errors: INVALID_ARGUMENT if delta is not in (0, 1), or as CheckTable.
absl::StatusOr<std::vector<CutFacts>> DescribeCuts(const artifact::CertificateTable& table,
                                                   double delta);

// The cut of largest coverage whose bound is at most `target_risk`.  If there is none:
// rows_needed = min over cuts of the smallest n' for which Clopper-Pearson at delta / (number of
// cuts) with n' * coverage accepted rows and the cut's measured error rate reaches the target; it
// stays unset if every cut's measured risk is at or over the target, since then no n helps.
// Errors: INVALID_ARGUMENT if target_risk or delta is not in (0, 1), or as DescribeCuts.
absl::StatusOr<CutSearch> FindCutForRisk(const artifact::CertificateTable& table,
                                         double target_risk, double delta);

// The cut of smallest coverage that is at least `target_coverage`, with its bound.
// Errors: INVALID_ARGUMENT if target_coverage is not in (0, 1], or as DescribeCuts.
absl::StatusOr<CutSearch> FindCutForCoverage(const artifact::CertificateTable& table,
                                             double target_coverage, double delta);

// Errors: INVALID_ARGUMENT if the threshold is NaN, or as DescribeCuts.
absl::StatusOr<ThresholdFacts> DescribeThreshold(const artifact::CertificateTable& table,
                                                 double threshold, double delta);

}  // namespace hydra::uncertainty
