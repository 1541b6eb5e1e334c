// What a forward pass shows and changes on the way.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>

#include "model/nn/pass/attention.h"

namespace hydra::nn {

// Sees, and may replace, the context of every head of a layer before the output projection.
// `context`: [S, R, K, d_h], R the tokens of all inputs one after the other.  Used for importance
// (keep its gradient), masks and ablations.
using ContextTap = std::function<at::Tensor(size_t layer, at::Tensor context)>;

// Sees the input of every layer, [S_before, R, D] with S_before streams of the layer before, and as
// layer L the output of the last.  Of a trunk with readers: the trunk's, up to the input of the
// last.
using HiddenObserver = std::function<void(size_t layer, const at::Tensor& hidden)>;

struct ForwardOptions {
  double dropout =
      0.0;  // after the embeddings, the attention output and the MLP; needs gradients enabled
  ContextTap tap;                       // empty: none
  HiddenObserver observe;               // empty: none
  AttentionObserver observe_attention;  // empty: none
  // Readers learn beside a trunk that does not: it is computed without gradient and dropout.
  bool frozen_trunk = false;
  // Every token of every layer is computed, as the reference does (for measurements).
  bool plain = false;
};

}  // namespace hydra::nn
