// The numbers that say how good predictions are.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/builder/quality/predictions.h"
#include "model/metrics/calibration_error.h"
#include "model/metrics/detection.h"
#include "model/metrics/members.h"
#include "model/metrics/probability.h"
#include "model/metrics/selective.h"

namespace hydra::builder {

struct Quality {
  metrics::ProbabilityMetrics probability;
  double ece = 0.0;              // 15 equal bins
  double ece_noise_floor = 0.0;  // what a calibrated model shows on as many rows
  std::vector<double> member_accuracy;
  std::optional<metrics::MemberComparison> members;            // unset for M = 1
  std::map<std::string, metrics::SelectiveMetrics> selective;  // by score
};

// Errors: FAILED_PRECONDITION predictions without labels; as the metrics.
absl::StatusOr<Quality> MeasureQuality(const Predictions& predictions, double temperature);

// Confidence and correctness of each row.
std::vector<metrics::ConfidentRow> ConfidentRows(absl::Span<const uncertainty::Answer> answers,
                                                 absl::Span<const size_t> labels);

// Values of one score.  Errors: FAILED_PRECONDITION if it compares members and there is only one.
absl::StatusOr<std::vector<double>> ScoreValues(absl::Span<const uncertainty::Answer> answers,
                                                uncertainty::Score score);

// The scores that an ensemble of `members` has.
std::vector<uncertainty::Score> ScoresOf(size_t members);

}  // namespace hydra::builder
