// The numbers of one system in evaluation.json.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/builder/calibrating/default_score.h"
#include "model/builder/evaluation/statistics.h"
#include "model/builder/evaluation/systems.h"
#include "model/builder/quality/bootstrap.h"
#include "model/builder/quality/measures.h"
#include "nlohmann/json_fwd.hpp"

namespace hydra::builder {

// What all systems are measured by.
struct Yardstick {
  std::string default_score;
  BootstrapOptions bootstrap;
  std::set<std::string> near;  // OOD sets near the data
  std::string reference;       // system that differences are taken to; none of that name: none
  std::string compat;          // "torchmetrics": also the calibration errors as it bins them
};

struct OodMeasures {
  std::map<std::string, metrics::DetectionMetrics> by_score;
  std::optional<metrics::MemberComparison> members;  // unset for M = 1
};

// Of one corruption at one severity, at the system's temperature.
struct ShiftMeasures {
  double accuracy = 0.0;
  double nll = 0.0;
  double ece = 0.0;
  double aurc = 0.0;  // by the ordering score
};

// One ranking of in-distribution, near and far rows, where errors and OOD count as mistakes.
struct MixedMeasures {
  size_t each = 0;                     // rows of each part
  size_t parts = 0;                    // 3, or 2 without a near or without a far set
  std::map<std::string, double> aurc;  // by score, and "combined"
  std::vector<ScoreCombiner::Column> combiner;
  double intercept = 0.0;
};

// As torchmetrics bins, 15 bins and one for confidence 1.
struct TorchmetricsMeasures {
  double l1 = 0.0;
  double l2 = 0.0;
  double max = 0.0;
};

struct SystemMeasures {
  Quality raw;     // at T = 1
  Quality scaled;  // at the system's temperature
  std::map<std::string, OodMeasures> ood;
  std::map<std::string, ShiftMeasures> shifts;  // "blur.3"
  std::optional<MixedMeasures> mixed;           // unset without an OOD set
  QuestionRankings questions;                   // on path rows and proxies
  std::optional<TorchmetricsMeasures> torchmetrics_raw, torchmetrics_scaled;
  Statistics statistics;
  std::map<std::string, Interval> intervals;      // of the statistics
  std::map<std::string, Difference> differences;  // to the reference
};

// `default_score` orders rows for AURC and AUROC; systems of one member that lack it use
// total_entropy.  Leaves `differences` empty.  Errors: as the metrics.
absl::StatusOr<SystemMeasures> MeasureSystem(const EvaluatedSystem& system,
                                             const Yardstick& yardstick);

// The score that orders this system's rows: `wanted`, or total_entropy where it needs members.
uncertainty::Score OrderingScore(const EvaluatedSystem& system, const std::string& wanted);

nlohmann::ordered_json MeasuresJson(const EvaluatedSystem& system, const SystemMeasures& measures);

}  // namespace hydra::builder
