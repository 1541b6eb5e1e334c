// The merged forward pass: M members in one network, member-major batches.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>

#include "model/nn/network.h"

namespace hydra::nn {

// Sees, and may replace, the context of every head of a layer before the output projection.
// `context`: [S, B, T, K, d_h].  Used for importance (keep its gradient), masks and ablations.
using ContextTap = std::function<at::Tensor(size_t layer, at::Tensor context)>;

// Sees the input of every layer: [S_before, B*T, D], S_before streams of the layer before.
using HiddenObserver = std::function<void(size_t layer, const at::Tensor& hidden)>;

struct ForwardOptions {
  double dropout =
      0.0;  // after the embeddings, the attention output and the MLP; needs gradients enabled
  ContextTap tap;          // empty: none
  HiddenObserver observe;  // empty: none
};

// Member logits [M, B, C] (float32) of preprocessed images [B, channels, height, width].
// Each layer l, for stream s of the S streams (pre-norm encoder, Dosovitskiy et al. 2021; grouped
// projections of Hydra Ensembles):  x_s += W_o,s Attention(W_qkv,s LN1(x_s)) + b_o,s;  x_s += W_2
// act(W_1 LN2(x_s) + b_1) + b_2. Heads never attend across streams.  Row b of the result depends on
// image b only. Differentiable.  Throws c10::Error; call it inside CatchTorch.
at::Tensor Forward(const Network& network, const at::Tensor& images,
                   const ForwardOptions& options = {});

}  // namespace hydra::nn
