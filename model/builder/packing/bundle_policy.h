// The policy that a bundle starts with.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "model/artifact/calibration.h"
#include "model/builder/packing/pack_step.h"

namespace hydra::builder {

// policy.json for the target in `options`, if it has one, on the bundle's default score.
// Errors: FAILED_PRECONDITION a target risk that no certified cut reaches, for any dtype that has a
// certificate; the message has the numbers and, where more rows would help, how many.
absl::StatusOr<std::optional<std::string>> PolicyJson(const PackStepOptions& options,
                                                      const artifact::Calibration& calibration);

}  // namespace hydra::builder
