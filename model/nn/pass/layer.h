// One layer of the token streams: of all members, or of the trunk that readers read.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

#include "model/nn/network.h"
#include "model/nn/pass/options.h"
#include "model/nn/sequences.h"

namespace hydra::nn {

struct Pass {
  const Network& network;
  const Sequences& sequences;
  const ForwardOptions& options;
};

// Rows of the tokens that answers are read from, input by input: int64 [B*q], q = AnswerTokens().
at::Tensor AnswerRows(const Network& network, const Sequences& sequences);

// x: [S, R, D] -> [S, R, D].  Of a layer with shared_qkv in which one stream splits: [1, R, D] in.
at::Tensor StreamLayer(const Pass& pass, size_t layer, const at::Tensor& x);

// The last layer for the answers' rows only: x: [S, R, D] -> [S, B*q, D].  The same numbers as
// those rows of StreamLayer, without the queries, output projections and MLPs of the other tokens.
at::Tensor AnswerLayer(const Pass& pass, size_t layer, const at::Tensor& x);

// A trunk's layer in two halves, so that readers use its keys and values.
// TrunkProjections: x [1, R, D] -> q, k, v [1, R, 3, K, d_h], or k, v alone [1, R, 2, K, d_h] in a
// layer that has no queries; undefined where the trunk keeps no head.
at::Tensor TrunkProjections(const Pass& pass, size_t layer, const at::Tensor& x);
at::Tensor TrunkLayer(const Pass& pass, size_t layer, const at::Tensor& x, const at::Tensor& qkv);

at::Tensor Dropout(const at::Tensor& x, const ForwardOptions& options);

}  // namespace hydra::nn
