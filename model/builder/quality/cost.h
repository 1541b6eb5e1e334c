// What one image costs, counted exactly.
#pragma once

#include <cstddef>

#include "model/nn/network.h"

namespace hydra::builder {

struct Cost {
  size_t macs = 0;          // multiply-accumulates of matrix products and attention, per image
  size_t parameters = 0;    // padding of unequal heads included, as it is computed
  size_t weight_bytes = 0;  // in float32

  Cost& operator+=(const Cost& other);
};

// Counts nn::Forward: patches N*p*p*c*D; per layer with S streams of T tokens and K heads
// S*T*D*3*K*d_h + 2*S*K*T*T*d_h + S*T*K*d_h*D + 2*S*T*D*F; classifier M*D*C.
Cost CostOf(const nn::Network& network);

}  // namespace hydra::builder
