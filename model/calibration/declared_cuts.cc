#include "model/calibration/declared_cuts.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/certificate.h"

namespace hydra::calibration {

absl::StatusOr<std::vector<double>> DeclareCuts(absl::Span<const double> path_scores,
                                                size_t count) {
  if (path_scores.empty() || count == 0) {
    return absl::InvalidArgumentError(absl::StrCat("cuts: got ", path_scores.size(),
                                                   " path scores and count ", count,
                                                   ", want at least 1 of each"));
  }
  std::vector<double> sorted(path_scores.begin(), path_scores.end());
  for (const double score : sorted) {
    if (!std::isfinite(score)) {
      return absl::InvalidArgumentError(absl::StrCat("path score: got ", score, ", want finite"));
    }
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> cuts;
  for (size_t k = 1; k <= count; ++k) {
    const size_t rank = (k * sorted.size() + count - 1) / count;  // ceil(k n / count) >= 1
    const double threshold = sorted[rank - 1];
    if (cuts.empty() || threshold > cuts.back()) cuts.push_back(threshold);
  }
  return cuts;
}

absl::StatusOr<std::vector<artifact::CertificateCut>> CountCuts(
    absl::Span<const uncertainty::ScoredRow> certify_rows, absl::Span<const double> cuts) {
  artifact::CertificateTable table{.n = certify_rows.size()};
  for (const double threshold : cuts) table.cuts.push_back({.threshold = threshold});
  HYDRA_RETURN_IF_ERROR(uncertainty::CheckTable(table));
  for (const uncertainty::ScoredRow& row : certify_rows) {
    if (!std::isfinite(row.score)) {
      return absl::InvalidArgumentError(
          absl::StrCat("certify score: got ", row.score, ", want finite"));
    }
    const size_t first =
        std::lower_bound(cuts.begin(), cuts.end(), row.score) - cuts.begin();  // cut >= score
    for (size_t i = first; i < cuts.size(); ++i) {
      ++table.cuts[i].accepted;
      table.cuts[i].errors += row.correct ? 0 : 1;
    }
  }
  return table.cuts;
}

}  // namespace hydra::calibration
