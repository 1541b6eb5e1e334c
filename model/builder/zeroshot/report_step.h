// Step "zeroshot": ways to tell when a zero-shot classifier is wrong, side by side.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct ZeroShotStepOptions {
  size_t vilu_steps = 600;
  size_t vilu_batch = 256;
  double vilu_lr = 1e-3;
  size_t vilu_frozen_steps = 200;
  size_t vilu_images = 20000;  // of "train", the first; 0: all
  size_t seed = 0;
};

std::vector<OptionField> Fields(ZeroShotStepOptions& options);

struct ZeroShotInputs {
  std::string single;   // output of prompts
  std::string network;  // an ensemble of its members whose heads were pruned and nothing tuned
  std::string ledger;   // file that every look at the test set is entered in
};

// Looks at the test set, the out-of-distribution sets and the test rows of classes that `data`
// leaves out, with no temperature but the logit scale.  Of the single network: MCM (1 - the largest
// softmax of cosines at T = 1, Ming et al. 2022, and at the logit scale), entropy, DOCTOR (Granese
// et al. 2021) and ViLU trained on "train".  Of the ensemble: its scores.  Writes zeroshot.json to
// `out` and prints a table.  Errors: INVALID_ARGUMENT networks that do not fit;
// FAILED_PRECONDITION no test set or ledger; as TrainVilu, Predict and the metrics.
absl::Status RunZeroShot(const DataOptions& data, const ZeroShotStepOptions& options,
                         const ZeroShotInputs& inputs, const std::string& out, StepContext context);

}  // namespace hydra::builder
