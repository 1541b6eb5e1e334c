// What one input costs, exactly: multiply-accumulates and bytes of weights that a plan needs.
// Torch-free.
#pragma once

#include <cstdint>

#include "model/artifact/manifest.h"
#include "model/nn/network.h"

namespace hydra::ensemble {

struct Cost {
  uint64_t macs = 0;  // multiply-accumulates of one input as nn::Forward computes it
  uint64_t plain_macs =
      0;  // the same with every token in the last layer, as the reference computes
  uint64_t encoder_macs =
      0;                    // of plain_macs, in the layers (without patch embedding and classifier)
  uint64_t parameters = 0;  // stored numbers, without padding
  uint64_t weight_bytes = 0;  // parameters * 4 (float32)

  Cost& operator+=(const Cost& other);  // of networks that run one after the other
};

// Of linear layers and the two attention products; biases, norms, activations and softmax are not
// counted, padding is left out.  With T tokens, S_l streams, K_ls heads, F the MLP width and F' = F
// (2F of SwiGLU), layer l costs
//   sum_s K_ls d_h (4 T D + 2 T^2)  +  S_l T D (F + F'),
// and where q of the T are read (q = 1, DeiT 2) the last one
//   sum_s K_ls d_h (2 T D + 2 q D + 2 q T)  +  S_l q D (F + F').
// Streams that share q/k/v project and attend once, in the U heads that any of them keeps.  A trunk
// under readers has one stream, of which the last layer gives keys and values, K d_h 2 T D; a
// reader with its MLP of rank r (own and tied: r = 0) costs, in each of its layers,
//   K d_h (2 q D + 2 q T) + K_kv d_h 2 q D + q D (F + F') + q r (2 D + F + F'),
// K_kv = K with own keys and values, else the trunk's heads.
// Of a text network, for a text of `tokens` tokens; of images T is the network's own.
Cost CostOf(const nn::Network& network, size_t tokens = 0);

}  // namespace hydra::ensemble
