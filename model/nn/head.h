// From the tokens of the last layer to each member's answer.
#pragma once

#include <ATen/core/Tensor.h>

#include "model/nn/network.h"
#include "model/nn/sequences.h"

namespace hydra::nn {

// x: [S, R, D], packed -> logits [M, B, C], or features [M, B, I] of a network without classes, in
// float32.  Steps, each where the geometry asks for it: last LayerNorm, pooling, pooler, projection
// to a joint space with features scaled to length 1, classifier.
at::Tensor Answer(const Network& network, const at::Tensor& x, const Sequences& sequences);

}  // namespace hydra::nn
