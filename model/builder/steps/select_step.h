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
  size_t keep = 6;  // of every layer and member
  double overlap_penalty = 0.0;
};

std::vector<OptionField> Fields(SelectStepOptions& options);

// Reads scores.json in `scores` and writes heads.json (networks/head_choice.h) to `out`; prints how
// much the members' heads have in common.  Errors: as importance::SelectHeads.
absl::Status RunSelect(const SelectStepOptions& options, const std::string& scores,
                       const std::string& out, StepContext context);

}  // namespace hydra::builder
