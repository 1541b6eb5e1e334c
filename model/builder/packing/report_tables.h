// Tables of the report.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/builder/packing/stored_evaluation.h"
#include "model/report/report_data.h"

namespace hydra::builder {

// Systems x accuracy, NLL, Brier, ECE, AURC, disagreement, member accuracy, at each temperature.
absl::StatusOr<report::ComparisonTable> BaselineTable(const StoredEvaluation& evaluation,
                                                      const std::string& default_score);

// Systems and scores x AUROC, AUPR and FPR95 of every out-of-distribution set.
absl::StatusOr<report::ComparisonTable> DetectionTable(const StoredEvaluation& evaluation,
                                                       const std::string& default_score);

// Systems x MACs, weight bytes and their ratios to the single model (else to the first).
report::ComparisonTable CostTable(const StoredEvaluation& evaluation);

}  // namespace hydra::builder
