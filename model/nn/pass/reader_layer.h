// One layer of the readers: CLS streams of their own that read the trunk's keys and values.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

#include "model/nn/pass/layer.h"

namespace hydra::nn {

// The trunk's answer tokens before the readers' first layer, x: [1, R, D] -> [M, B*q, D].
at::Tensor StartReaders(const Pass& pass, const at::Tensor& x);

// readers: [M, B*q, D]; qkv: TrunkProjections of the same layer -> [M, B*q, D].  A reader's tokens
// attend to themselves and to the trunk's other tokens, in its own heads:
//   c_m += W_o,m Attention(W_q,m n; [own k, v; trunk's k, v]) + b_o,m,  n = LN1_m(c_m),
// then its MLP, with the norms in the geometry's order.  With the base's parameters every reader
// equals the base.
at::Tensor ReaderLayer(const Pass& pass, size_t layer, const at::Tensor& readers,
                       const at::Tensor& qkv);

}  // namespace hydra::nn
