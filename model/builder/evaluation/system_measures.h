// The numbers of one system in evaluation.json.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "model/builder/evaluation/systems.h"
#include "model/builder/quality/bootstrap.h"
#include "model/builder/quality/measures.h"
#include "nlohmann/json_fwd.hpp"

namespace hydra::builder {

struct OodMeasures {
  std::map<std::string, metrics::DetectionMetrics> by_score;
  std::optional<metrics::MemberComparison> members;  // unset for M = 1
};

struct SystemMeasures {
  Quality raw;     // at T = 1
  Quality scaled;  // at the system's temperature
  std::map<std::string, OodMeasures> ood;
  // At T: "accuracy", "nll", "brier", "ece", "aurc" and, by the ordering score, "auroc_SET".
  std::map<std::string, Interval> intervals;
};

// `default_score` orders rows for the interval of AURC; systems of one member that lack it use
// total_entropy.  Errors: as the metrics.
absl::StatusOr<SystemMeasures> MeasureSystem(const EvaluatedSystem& system,
                                             const std::string& default_score,
                                             const BootstrapOptions& bootstrap);

// The score that orders this system's rows: `wanted`, or total_entropy where it needs members.
uncertainty::Score OrderingScore(const EvaluatedSystem& system, const std::string& wanted);

nlohmann::ordered_json MeasuresJson(const EvaluatedSystem& system, const SystemMeasures& measures);

}  // namespace hydra::builder
