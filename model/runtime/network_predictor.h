// A Predictor over a network in memory: the engine of LoadPredictor, and the builder's way to
// evaluate what it has not packed yet with the numerics that will be served.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "model/nn/network.h"
#include "model/runtime/loader.h"
#include "model/runtime/predictor.h"

namespace hydra::runtime {

// Copies what it needs of `network`.  Numerics::kBFloat16 falls back to float32 where the CPU has
// no bfloat16 units. Errors: FAILED_PRECONDITION a network whose parameters do not fit its plan;
// INTERNAL LibTorch's message.
absl::StatusOr<std::unique_ptr<Predictor>> MakePredictor(const nn::Network& network,
                                                         PredictorOptions options);

}  // namespace hydra::runtime
