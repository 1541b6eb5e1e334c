// Step "pack": everything that was made into one bundle.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct PackStepOptions {
  std::string name = "hydra";
  size_t golden_rows = 16;
  double bfloat16_margin = 4.0;
  double policy_risk = 0.0;      // target risk of the policy that comes with the bundle; 0: none
  double policy_coverage = 0.0;  // or its target coverage; 0: none
  size_t seed = 0;               // recorded as the bundle's seed; picks the golden rows
};

std::vector<OptionField> Fields(PackStepOptions& options);

struct PackInputs {
  std::string network;         // output of merge, or a checkpoint
  std::string calibration;     // output of calibrate
  std::string heads;           // output of select; empty: all heads are kept
  std::string evaluation;      // output of evaluate; empty: a report without it
  std::string interpretation;  // output of interpret; empty: no clusters, effects and maps
  std::string recipe;          // text of the recipe; may be empty
};

// Writes the bundle to `out`, which is opened, loaded and replayed as a server would do before
// this returns.  Errors: FAILED_PRECONDITION splits that overlap (names an item), heads of another
// network, golden answers that cannot tell a damaged network; as WriteBundle and VerifyBundle.
absl::Status RunPack(const DataOptions& data, const PackStepOptions& options,
                     const PackInputs& inputs, const std::string& out, StepContext context);

}  // namespace hydra::builder
