// Step "evaluate": the ensemble beside its baselines on data that no other step has used.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/files/shard.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct EvaluateStepOptions {
  bool final = false;  // the test set and the named OOD sets; else "select" and proxies
  size_t resamples = 300;
  double interval_level = 0.95;
  size_t seed = 0;
  std::string reference = "single";  // system that paired differences are taken to
  size_t shift_rows = 0;             // rows that are corrupted; 0: no shift sets
  std::string compat;                // "torchmetrics": its calibration errors too
  Shard shard;                       // which blocks of rows; not one of the fields
};

std::vector<OptionField> Fields(EvaluateStepOptions& options);

struct EvaluateInputs {
  std::string network;                     // of the ensemble
  std::string calibration;                 // output of calibrate
  std::string base;                        // checkpoint; empty: no row "single"
  std::vector<std::string> deep_ensemble;  // checkpoints of other seeds; empty: no row
  std::string random_masks;                // network with random heads; empty: no row
  std::string ledger;                      // file that a final evaluation is entered in
};

// Writes evaluation.json and predictions-<system>.safetensors to `out`, and prints a table; of
// several shards shard.json and this one's part of the predictions, for merge-shards.  A shard that
// is there already with the same inputs is left as it is.
// Errors: INVALID_ARGUMENT options or systems that do not fit; FAILED_PRECONDITION a final
// evaluation without test data or ledger, or shift sets of texts; as Predict.
absl::Status RunEvaluate(const DataOptions& data, const EvaluateStepOptions& options,
                         const EvaluateInputs& inputs, const std::string& out, StepContext context);

}  // namespace hydra::builder
