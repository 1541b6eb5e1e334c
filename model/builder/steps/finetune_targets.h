// The networks that "finetune" tunes, and what each leaves alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/builder/networks/head_choice.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/steps/finetune_step.h"

namespace hydra::builder {

struct FinetuneTarget {
  std::string name;  // "member-0", or "joint" of one network with all members
  std::string what;  // "finetune member 1 of 3"
  size_t seed = 0;
  StoredNetwork stored;
  std::vector<std::string> frozen;  // as TrainOptions
  bool frozen_trunk = false;        // as TrainOptions
};

// Removes heads from the base, puts members together as options.mode says and ties the layers of
// options.blocks.  Errors: INVALID_ARGUMENT options that do not fit; as PruneHeads, MergeMembers,
// AddReaders and TieBlocks.
absl::StatusOr<std::vector<FinetuneTarget>> MakeTargets(const FinetuneStepOptions& options,
                                                        const StoredNetwork& base,
                                                        const HeadChoice& choice);

// `choice` with the heads that the members of `targets` have.
HeadChoice KeptBy(const std::vector<FinetuneTarget>& targets, HeadChoice choice);

}  // namespace hydra::builder
