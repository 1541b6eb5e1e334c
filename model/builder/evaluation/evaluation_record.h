// evaluation.json: from all predictions to what evaluate writes, alike for one process and for
// several.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/evaluation/system_measures.h"
#include "model/builder/evaluation/systems.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/steps/step_context.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {

// The yardstick that a record of evaluate asks for: its `options`, `default_score` and the distance
// of each set of `ood`.  Errors: INVALID_ARGUMENT, naming a field that is missing.
absl::StatusOr<Yardstick> YardstickOf(const nlohmann::ordered_json& record);

// Measures every system and writes evaluation.json and predictions-SYSTEM.safetensors; prints a
// table.  `record` holds everything but "systems", the ensemble is the first system.  "digest" is
// the sha256 of the record without "ledger", which holds times; the predictions are in it by their
// digests.  Errors: as MeasureSystem, DifferencesOf and EncodePredictions.
absl::Status WriteEvaluation(std::vector<SystemPredictions> predictions,
                             nlohmann::ordered_json record, const StepDirectory& directory,
                             StepContext context);

}  // namespace hydra::builder
