// The predictions of one shard as a file, and those of all shards put together.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/builder/evaluation/systems.h"
#include "model/builder/files/shard.h"

namespace hydra::builder {

// Tensors SET.blocks [K], SET.logits [M, rows of the blocks, C] and SET.labels [N]; metadata:
// rows.SET and cost.  A set without a block has no tensor but its labels.
// Errors: as EncodeTensors.
absl::StatusOr<std::string> EncodeShardPredictions(const SystemPredictions& predictions);

// Reads predictions-NAME.safetensors of every shard; the order does not matter.
// Errors: NOT_FOUND a missing file; INVALID_ARGUMENT, naming file or set: another form, shards that
// differ in rows, members or classes, a block that is there twice or not at all.
absl::StatusOr<SystemPredictions> JoinShardPredictions(const std::string& name,
                                                       const std::vector<ShardRecord>& shards);

}  // namespace hydra::builder
