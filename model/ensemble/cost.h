// What one input costs, exactly: multiply-accumulates and bytes of weights that a plan needs.
// Torch-free.
#pragma once

#include <cstdint>

#include "model/artifact/manifest.h"
#include "model/nn/network.h"

namespace hydra::ensemble {

struct Cost {
  uint64_t macs =
      0;  // multiply-accumulates of one input: linear layers and the two attention products
  uint64_t encoder_macs = 0;  // of them, in the layers (without patch embedding and classifier)
  uint64_t parameters = 0;    // stored numbers, without padding
  uint64_t weight_bytes = 0;  // parameters * 4 (float32)

  Cost& operator+=(const Cost& other);  // of networks that run one after the other
};

// With T tokens, S_l streams, K_ls heads, F the MLP width and F' = F (2F of SwiGLU), layer l costs
//   sum_s K_ls d_h (4 T D + 2 T^2)  +  S_l T D (F + F').
// What `nn::Forward` computes, padding left out; biases, norms, activations and softmax are not
// counted.  Of a text network, for a text of `tokens` tokens; of images T is the network's own.
Cost CostOf(const nn::Network& network, size_t tokens = 0);

}  // namespace hydra::ensemble
