// The one door between the server (or the builder) and LibTorch: torch-free on purpose.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace hydra::runtime {

// What one row of input must look like and what comes back.
struct PredictorShape {
  size_t members = 0;     // M
  size_t classes = 0;     // C
  size_t row_values = 0;  // float32 values of one preprocessed input, channels * height * width
};

// A loaded ensemble.  Run is called by one thread at a time per object; objects do not share
// mutable state, so that one predictor per lane runs in parallel.
class Predictor {
 public:
  virtual ~Predictor() = default;

  virtual const PredictorShape& shape() const = 0;

  // One merged forward pass.  `rows`: [B, row_values] row-major float32, B >= 1.
  // Returns member logits [M, B, C] row-major, before the temperature.  Row b depends on input b
  // only. Errors: INVALID_ARGUMENT wrong size; RESOURCE_EXHAUSTED out of memory; INTERNAL
  // LibTorch's message.
  virtual absl::StatusOr<std::vector<float>> Run(absl::Span<const float> rows, size_t batch) = 0;
};

}  // namespace hydra::runtime
