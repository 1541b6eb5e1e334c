// What a recipe would do, found out without training or writing anything.
#pragma once

#include "absl/status/status.h"
#include "model/builder/recipe/recipe.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

// Imports the base, reads every dataset, splits the pool, checks the options against the geometry
// and runs the base on a few rows; says what it found, a line each.  Errors: those that the build
// would end with, as far as they can be known before it trains.
absl::Status DryRun(const Recipe& recipe, StepContext context);

}  // namespace hydra::builder
