// From the tokens of the last layer to each member's answer.
#pragma once

#include <ATen/core/Tensor.h>

#include "model/nn/network.h"
#include "model/nn/sequences.h"

namespace hydra::nn {

// x: [S, R, D], packed -> logits [M, B, C], or features [M, B, I] of a network without classes, in
// float32.  Steps, each where the geometry asks for it: last LayerNorm, pooling, pooler with
// `dropout` after it (as the reference trains), projection to a joint space with features scaled to
// length 1, classifier.
at::Tensor Answer(const Network& network, const at::Tensor& x, const Sequences& sequences,
                  double dropout);

// The same from the rows that are read alone: [M, B*q, D], q = AnswerTokens(network).
at::Tensor AnswerFrom(const Network& network, const at::Tensor& rows, double dropout);

// [S, R, D] after the last layer -> [M, R, D].
at::Tensor ByMember(const Network& network, const at::Tensor& x);

}  // namespace hydra::nn
