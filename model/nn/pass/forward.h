// The merged forward pass: M members in one network, member-major batches.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

#include "model/nn/input.h"
#include "model/nn/network.h"
#include "model/nn/pass/options.h"
#include "model/nn/sequences.h"

namespace hydra::nn {

// Member logits [M, B, C] (float32), or features [M, B, I] of a network without classes.
// Each layer l, for stream s of the S streams, with norm_first (Dosovitskiy et al. 2021; grouped
// projections of Hydra Ensembles):  x_s += W_o,s Attention(W_qkv,s LN1(x_s)) + b_o,s;  x_s += W_2
// act(W_1 LN2(x_s) + b_1) + b_2.  Otherwise (Devlin et al. 2019) x_s = LN1(x_s + Attention...),
// x_s = LN2(x_s + MLP...).  Tokens never attend across streams or inputs.  A trunk with readers is
// computed once; see reader_layer.h for the readers.  In evaluation the last layer is computed for
// the rows that are read.  Row b of the result depends on input b only.  Differentiable.  Throws
// c10::Error (an id outside the vocabulary, a text longer than the positions); call it inside
// CatchTorch.
at::Tensor Forward(const Network& network, const Input& input, const ForwardOptions& options = {});

// The same from the input of layer `first` on, as `observe` saw it: x [S_before, R, D].  A network
// of one member takes any number of variants of it, [V, R, D] -> [V, B, C].
at::Tensor ForwardFrom(const Network& network, size_t first, at::Tensor x,
                       const Sequences& sequences, const ForwardOptions& options = {});

}  // namespace hydra::nn
