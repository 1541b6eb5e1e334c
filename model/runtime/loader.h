// Makes a Predictor from a verified bundle.  Torch-free header; the implementation links LibTorch.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "model/runtime/predictor.h"

namespace hydra::artifact {
class Bundle;
}

namespace hydra::runtime {

enum class Numerics {
  kFloat32,
  kBFloat16,  // matrix products in bfloat16, norms and the residual stream in float32
};

// What is computed when `wanted` is asked for: float32 where the CPU has no bfloat16 arithmetic.
Numerics ResolveNumerics(Numerics wanted);

struct PredictorOptions {
  size_t threads = 1;  // intra-op threads of the calling lane
  Numerics numerics = Numerics::kFloat32;
  // Every token in every layer, as the reference computes: for measurements only, the answers are
  // the same.
  bool every_token = false;
};

// Copies the weights it needs; `bundle` may go away afterwards.
// Errors: FAILED_PRECONDITION the bundle's tensors do not fit its manifest (names the tensor, its
// shape and what was wanted); UNIMPLEMENTED a member mode or family that this build does not serve;
// INTERNAL LibTorch's message.
absl::StatusOr<std::unique_ptr<Predictor>> LoadPredictor(const artifact::Bundle& bundle,
                                                         PredictorOptions options);

}  // namespace hydra::runtime
