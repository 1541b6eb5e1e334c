// Keeping some heads of a single network: exactly, by slicing its projections.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "model/nn/network.h"
#include "model/nn/pass/forward.h"

namespace hydra::ensemble {

// kept[l] = heads of the base that stay in layer l: ascending, possibly none.
using KeptHeads = std::vector<std::vector<size_t>>;

// Slices rows of W_q, W_k, W_v and columns of W_o; biases of the output projection stay whole, so
// that the result equals the base with the other heads' contexts set to 0.  The result shares no
// memory with `base`. Errors: INVALID_ARGUMENT a base with more than one member or already pruned,
// or heads out of range or order.
absl::StatusOr<nn::Network> PruneHeads(const nn::Network& base, const KeptHeads& kept);

// A tap that zeroes the contexts of all heads that are not kept: the slow reference for PruneHeads.
nn::ContextTap ZeroMask(const nn::Network& base, const KeptHeads& kept);

}  // namespace hydra::ensemble
