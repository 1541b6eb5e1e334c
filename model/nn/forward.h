// The merged forward pass: M members in one network, member-major batches.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>

#include "model/nn/attention.h"
#include "model/nn/input.h"
#include "model/nn/network.h"
#include "model/nn/sequences.h"

namespace hydra::nn {

// Sees, and may replace, the context of every head of a layer before the output projection.
// `context`: [S, R, K, d_h], R the tokens of all inputs one after the other.  Used for importance
// (keep its gradient), masks and ablations.
using ContextTap = std::function<at::Tensor(size_t layer, at::Tensor context)>;

// Sees the input of every layer, [S_before, R, D] with S_before streams of the layer before, and as
// layer L the output of the last.
using HiddenObserver = std::function<void(size_t layer, const at::Tensor& hidden)>;

struct ForwardOptions {
  double dropout =
      0.0;  // after the embeddings, the attention output and the MLP; needs gradients enabled
  ContextTap tap;                       // empty: none
  HiddenObserver observe;               // empty: none
  AttentionObserver observe_attention;  // empty: none
};

// Member logits [M, B, C] (float32), or features [M, B, I] of a network without classes.
// Each layer l, for stream s of the S streams, with norm_first (Dosovitskiy et al. 2021; grouped
// projections of Hydra Ensembles):  x_s += W_o,s Attention(W_qkv,s LN1(x_s)) + b_o,s;  x_s += W_2
// act(W_1 LN2(x_s) + b_1) + b_2.  Otherwise (Devlin et al. 2019) x_s = LN1(x_s + Attention...),
// x_s = LN2(x_s + MLP...).  Tokens never attend across streams or inputs.  Row b of the result
// depends on input b only.  Differentiable.  Throws c10::Error (an id outside the vocabulary, a
// text longer than the positions); call it inside CatchTorch.
at::Tensor Forward(const Network& network, const Input& input, const ForwardOptions& options = {});

// The same from the input of layer `first` on, as `observe` saw it: x [S_before, R, D].  A network
// of one member takes any number of variants of it, [V, R, D] -> [V, B, C].
at::Tensor ForwardFrom(const Network& network, size_t first, at::Tensor x,
                       const Sequences& sequences, const ForwardOptions& options = {});

}  // namespace hydra::nn
