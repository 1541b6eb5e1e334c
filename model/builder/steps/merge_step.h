// Step "merge": members into one network, held against the members one by one.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct MergeStepOptions {
  std::string mlp = "average";            // or "per_member"
  std::string norms = "average";          // or "per_member"
  std::string classifier = "per_member";  // or "average"
  double tolerance = 0.01;                // largest accepted drop of accuracy on "select"
  bool fallback = true;                   // over the tolerance: per-member MLPs and norms instead
};

std::vector<OptionField> Fields(MergeStepOptions& options);

// Reads what finetune wrote in `members` (a network tuned jointly is taken as it is).  Writes the
// network (networks/stored_network.h) and merge.json with accuracy, NLL, ECE and disagreement
// before and after to `out`.  Errors: INVALID_ARGUMENT options; as MergeMembers and Predict.
absl::Status RunMerge(const DataOptions& data, const MergeStepOptions& options,
                      const std::string& members, const std::string& out, StepContext context);

}  // namespace hydra::builder
