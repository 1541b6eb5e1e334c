// Sharing parameters within contiguous blocks of layers (RAPTOR: block-recurrent depth).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "model/nn/network.h"

namespace hydra::ensemble {

enum class TieMode {
  kAverage,  // the mean of the block's layers
  kFirst,    // those of the block's first layer
};

// Lengths of `blocks` contiguous blocks of `layers` layers, as equal as possible, longer ones
// first.  Errors: INVALID_ARGUMENT blocks outside 1..layers.
absl::StatusOr<std::vector<size_t>> EvenBlocks(size_t layers, size_t blocks);

// A copy of `base` in which the layers of a block hold the same tensors: one set of parameters,
// applied as often as the block is long, whose gradient is the sum over its layers.  Training keeps
// it so; nn::Clone, pruning and storing make copies.  Errors: INVALID_ARGUMENT lengths of 0 or that
// do not add up to the layers, or layers of a block with different plans.
absl::StatusOr<nn::Network> TieBlocks(const nn::Network& base, const std::vector<size_t>& lengths,
                                      TieMode mode);

// Numbers that the network's tensors hold, those of tied layers once.
uint64_t DistinctParameters(const nn::Network& network);

}  // namespace hydra::ensemble
