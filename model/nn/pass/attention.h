// Scaled dot-product attention over packed sequences.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>

#include "model/nn/sequences.h"

namespace hydra::nn {

// Sees the attention probabilities of a layer: [S, n, K, T, T] (query x key) of the group's n
// inputs, exactly as they weigh the values; a padded key has probability 0.  Asking for them takes
// the plain formula instead of the fused kernel.
using AttentionObserver =
    std::function<void(size_t layer, const SequenceGroup& group, const at::Tensor& probabilities)>;

struct AttentionOptions {
  bool causal = false;
  size_t layer = 0;
  double dropout = 0.0;              // of the probabilities; needs gradients enabled
  const AttentionObserver& observe;  // may be empty
};

// qkv: [S, R, 3, K, d_h], packed -> softmax(q k^T / sqrt(d_h)) v: [S, R, K, d_h].  A token sees the
// tokens of its own input and stream only.
at::Tensor Attend(const at::Tensor& qkv, const Sequences& sequences,
                  const AttentionOptions& options);

// The same for q of each input's rows only, in evaluation: queries [S, B*q, K, d_h], keys_values
// [S, R, 2, K, d_h] -> [S, B*q, K, d_h].
at::Tensor AttendRows(const at::Tensor& queries, const at::Tensor& keys_values,
                      const Sequences& sequences);

}  // namespace hydra::nn
