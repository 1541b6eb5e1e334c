// Step "score": how important every head is to each member.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct ScoreStepOptions {
  std::string method = "taylor";        // or "random", the control
  std::string estimator = "per_token";  // of taylor: TaylorEstimator's names
  size_t members = 3;
  size_t images_per_member = 0;  // 0: the select split divided evenly
  size_t seed = 0;
};

std::vector<OptionField> Fields(ScoreStepOptions& options);

// Every member is scored on its own disjoint part of "select", drawn with the seed.  Writes
// scores.json (networks/head_choice.h) to `out`.
// Errors: INVALID_ARGUMENT options that make no sense, or more images than "select" holds.
absl::Status RunScore(const DataOptions& data, const ScoreStepOptions& options,
                      const std::string& base, const std::string& out, StepContext context);

}  // namespace hydra::builder
