// What is compared: the ensemble beside its baselines, each with predictions on the same data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/quality/predictions.h"
#include "model/builder/source/labelled_data.h"
#include "model/ensemble/cost.h"

namespace hydra::builder {

// One network of M members, or several whose members make one ensemble.
struct System {
  std::string name;  // "hydra", "single", "deep_ensemble", "random_masks"
  std::vector<StoredNetwork> parts;
};

// What the systems are shown.  `fit` gives each its temperature.
struct EvaluationData {
  LabelledData fit;
  LabelledData id;
  std::map<std::string, LabelledData> ood;
};

struct EvaluatedSystem {
  std::string name;
  double temperature = 1.0;
  ensemble::Cost cost;
  Predictions id;
  std::map<std::string, Predictions> ood;
};

// Errors: as ReadNetwork; INVALID_ARGUMENT parts with other labels or image settings than `like`.
absl::StatusOr<System> ReadSystem(const std::string& name,
                                  const std::vector<std::string>& directories,
                                  const StoredNetwork& like);

// Errors: as Predict and FitTemperature.
absl::StatusOr<EvaluatedSystem> EvaluateSystem(const System& system, const EvaluationData& data,
                                               size_t threads);

// predictions-<name>.safetensors: id.logits [M, N, C], id.labels [N], ood.<set>.logits; metadata:
// temperature and cost.  Errors: as EncodeTensors.
absl::StatusOr<std::string> EncodePredictions(const EvaluatedSystem& system);
absl::StatusOr<EvaluatedSystem> ReadPredictions(const std::string& path, const std::string& name);

}  // namespace hydra::builder
