// Step "merge-shards": what several processes made of one step, as one process would have made it.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

// `shards`: outputs of `score --shard` or of `evaluate --shard`, in any order.  Writes to `out`
// what the step without shards writes, to the byte but for the ledger in evaluation.json. Errors:
// as ReadShards; INVALID_ARGUMENT a shard of another step, or parts that do not fit.
absl::Status MergeShards(const std::vector<std::string>& shards, const std::string& out,
                         StepContext context);

}  // namespace hydra::builder
