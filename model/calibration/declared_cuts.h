// Declaring the cuts of a certificate and counting on them; model/uncertainty/certificate.h reads
// the result.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/calibration.h"
#include "model/uncertainty/scores.h"

namespace hydra::calibration {

// At most `count` ascending thresholds: the score quantiles k / count, k = 1..count, of the path
// split, duplicates removed.  Uses no labels.
// Errors: INVALID_ARGUMENT if there is no score, a score is not finite, or count is 0.
absl::StatusOr<std::vector<double>> DeclareCuts(absl::Span<const double> path_scores, size_t count);

// Counts of the certify split at each cut.
// Errors: INVALID_ARGUMENT if the cuts are not finite and ascending, a score is not finite, or
// there is no row.
absl::StatusOr<std::vector<artifact::CertificateCut>> CountCuts(
    absl::Span<const uncertainty::ScoredRow> certify_rows, absl::Span<const double> cuts);

}  // namespace hydra::calibration
