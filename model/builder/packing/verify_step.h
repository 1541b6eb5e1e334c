// Does a bundle hold, load and answer as it promises?
#pragma once

#include <string>

#include "absl/status/status.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

// Opens the bundle (every hash and offset), loads its network and replays its golden answers in
// float32, and in bfloat16 where the CPU computes it; prints the numbers.  Errors: as Bundle::Open
// and runtime::LoadPredictor; FAILED_PRECONDITION answers outside the tolerance, with the numbers.
absl::Status VerifyBundle(const std::string& bundle, StepContext context);

}  // namespace hydra::builder
