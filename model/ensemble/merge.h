// Members into one network: grouped projections for attention, one averaged MLP.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"
#include "model/ensemble/prune.h"
#include "model/nn/network.h"

namespace hydra::ensemble {

enum class MergePart {
  kAverage,    // one for all members: the mean of the members' parameters
  kPerMember,  // one for each
};

// Where the sources are silent (methods: Hydra Ensembles, section 1.5); recorded in the manifest.
struct MergeOptions {
  MergePart mlp = MergePart::kAverage;
  MergePart norms = MergePart::kAverage;         // the two LayerNorms of a layer
  MergePart classifier = MergePart::kPerMember;  // with the last LayerNorm
  // From this layer on members stay apart though they agree, to be tuned apart.
  size_t split_from = std::numeric_limits<size_t>::max();
};

// Puts M members (each M = 1, of one geometry) into one network.  Patch, prefix and position
// embeddings are averaged. Members whose parameters and input agree bit for bit up to a layer
// become one stream there, computed once.  In the layer where one stream splits, q/k/v that agree
// bit for bit on every head are computed once too (shared_qkv). With equal or per-member MLPs and
// norms the result equals the members one by one, exactly up to the order of sums. Errors:
// INVALID_ARGUMENT no member, a member with M != 1, or geometries that differ.
absl::StatusOr<nn::Network> MergeMembers(const std::vector<nn::Network>& members,
                                         const MergeOptions& options);

// First layer with more than one stream; the number of layers if there is none.
size_t BranchLayer(const nn::Network& network);

// heads[l][m] of a network's plan by member, for head maps.
std::vector<std::vector<std::vector<size_t>>> KeptByMember(const nn::Network& network);

}  // namespace hydra::ensemble
