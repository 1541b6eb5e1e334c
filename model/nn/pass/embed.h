// From inputs to the packed tokens of the first layer.
#pragma once

#include <ATen/core/Tensor.h>

#include "model/nn/input.h"
#include "model/nn/network.h"
#include "model/nn/sequences.h"

namespace hydra::nn {

// How many tokens each input has.
std::vector<int64_t> TokenCounts(const Network& network, const Input& input);

// Packed tokens [R, D]: patches or words plus positions, then the LayerNorm of families that have
// one.
at::Tensor Embed(const Network& network, const Input& input, const Sequences& sequences);

}  // namespace hydra::nn
