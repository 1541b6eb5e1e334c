// From a recipe to a bundle.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "model/builder/recipe/recipe.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

// Runs the steps of `recipe` with their outputs in `work`, and puts the bundle at `out`.  Steps
// whose output is there are not run again; a run that was killed at any point goes on.  A bundle at
// `out` that differs is replaced.  Errors: as the steps, with the step's name.
absl::Status BuildBundle(const Recipe& recipe, const std::string& work, const std::string& out,
                         StepContext context);

}  // namespace hydra::builder
