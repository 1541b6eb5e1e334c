// Step "select": which heads each member keeps.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct SelectStepOptions {
  size_t keep = 6;                     // of every layer and member
  std::vector<size_t> keep_per_layer;  // instead of `keep`, 0 allowed
  size_t budget = 0;                   // instead of both: of a member over all layers
  size_t at_least_per_layer = 0;       // with a budget
  std::string layer_scale;             // with a budget: "unit_norm", "none"; empty: see ScaleOf
  double overlap_penalty = 0.0;
};

std::vector<OptionField> Fields(SelectStepOptions& options);

// Reads scores.json in `scores` and writes heads.json (networks/head_choice.h) to `out`; prints how
// much the members' heads have in common.  A budget compares heads of different layers: Taylor
// scores divided by their layer's l2 norm (Michel et al. 2019), others as they are, unless
// `layer_scale` says otherwise.  Errors: as importance::SelectHeads and SelectGlobally;
// INVALID_ARGUMENT another layer_scale.
absl::Status RunSelect(const SelectStepOptions& options, const std::string& scores,
                       const std::string& out, StepContext context);

}  // namespace hydra::builder
