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

// Where a threshold can be; unset if there is no such point.
struct OperatingPoints {
  std::optional<double> coverage_at_5_risk;   // largest coverage with a risk of at most 5 %
  std::optional<double> risk_at_80_coverage;  // at the smallest coverage of at least 80 %
};

struct Quality {
  metrics::ProbabilityMetrics probability;
  double ece = 0.0;              // 15 equal bins
  double mce = 0.0;              // of the same bins
  double aece = 0.0;             // 15 bins of equal counts
  double smooth_ece = 0.0;       // without bins
  double ece_noise_floor = 0.0;  // what a calibrated model shows on as many rows
  std::vector<double> member_accuracy;
  std::optional<metrics::MemberComparison> members;            // unset for M = 1
  std::map<std::string, metrics::SelectiveMetrics> selective;  // by score
  std::map<std::string, OperatingPoints> operating;            // by score
  // Errors against correct rows by score, errors in the place of OOD; empty if all rows are alike.
  std::map<std::string, metrics::DetectionMetrics> failure;
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
