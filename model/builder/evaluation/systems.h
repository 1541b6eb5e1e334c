// What is compared: the ensemble beside its baselines, each with predictions on the same data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/evaluation/evaluation_data.h"
#include "model/builder/files/shard.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/quality/predictions.h"
#include "model/builder/steps/step_context.h"
#include "model/ensemble/cost.h"

namespace hydra::builder {

// One network of M members, or several whose members make one ensemble.
struct System {
  std::string name;  // "hydra", "single", "deep_ensemble", "random_masks"
  std::vector<StoredNetwork> parts;
};

// Predictions of one system on every set of EvaluationData, by name.
struct SystemPredictions {
  std::string name;
  ensemble::Cost cost;
  std::map<std::string, Predictions> sets;
  std::map<std::string, std::vector<size_t>> blocks;  // that were predicted, by set; ascending
};

struct EvaluatedSystem {
  std::string name;
  double temperature = 1.0;
  ensemble::Cost cost;
  Predictions path, proxies;  // empty if read back
  Predictions id;
  std::map<std::string, Predictions> ood;
  std::map<std::string, Predictions> shifts;  // "blur.3"; empty if read back
};

// Errors: as ReadNetwork; INVALID_ARGUMENT parts with other labels or image settings than `like`.
absl::StatusOr<System> ReadSystem(const std::string& name,
                                  const std::vector<std::string>& directories,
                                  const StoredNetwork& like);

// Predicts the blocks of rows that `shard` owns, counted through all sets, with progress lines; the
// logits of other rows are 0.  Errors: as MakePredictor and Predict.
absl::StatusOr<SystemPredictions> PredictSystem(const System& system, const EvaluationData& data,
                                                Shard shard, StepContext context);

// Takes the predictions of all shards together apart and fits the temperature on "fit".
// Errors: INVALID_ARGUMENT a set is missing; as FitTemperature.
absl::StatusOr<EvaluatedSystem> FinishSystem(SystemPredictions predictions);

// predictions-<name>.safetensors: id.logits [M, N, C], id.labels [N], ood.<set>.logits; metadata:
// temperature and cost.  Errors: as EncodeTensors.
absl::StatusOr<std::string> EncodePredictions(const EvaluatedSystem& system);
absl::StatusOr<EvaluatedSystem> ReadPredictions(const std::string& path, const std::string& name);

}  // namespace hydra::builder
