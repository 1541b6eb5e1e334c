// How well each score tells failures of a classifier from what it gets right.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/metrics/detection.h"
#include "model/metrics/selective.h"
#include "nlohmann/json_fwd.hpp"

namespace hydra::builder {

// One score's values; higher is less sure.
struct FailureScore {
  std::string name;
  std::vector<double> id;
  std::vector<bool> correct;  // of the rows of `id`, by the classifier whose score it is
  std::map<std::string, std::vector<double>> ood;
};

struct FailureMeasures {
  std::string name;
  double accuracy = 0.0;
  metrics::DetectionMetrics errors;  // errors against correct rows
  double aurc = 0.0;
  std::map<std::string, metrics::DetectionMetrics> ood;  // each set against all rows of `id`
};

// Errors: as the metrics, with the name of the score; of a classifier without an error.
absl::StatusOr<FailureMeasures> MeasureFailures(const FailureScore& score);

nlohmann::ordered_json FailuresJson(const std::vector<FailureMeasures>& rows);

// A Markdown table, one line each, in percent and AURC in thousandths.  FPR95 is with errors and
// out-of-distribution rows as positives, then with correct and in-distribution rows.
std::vector<std::string> FailureTable(const std::vector<FailureMeasures>& rows);

}  // namespace hydra::builder
