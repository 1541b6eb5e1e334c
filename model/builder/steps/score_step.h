// Step "score": how important every head is to each member.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/files/shard.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/selection/circuit_scores.h"
#include "model/builder/selection/saper_scores.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct ScoreStepOptions {
  std::string method = "taylor";        // "circuit", "saper", or "random", the control
  std::string estimator = "per_token";  // of taylor: TaylorEstimator's names
  size_t members = 3;
  size_t images_per_member = 0;  // of taylor; 0: the select split divided evenly
  size_t seed = 0;
  CircuitScoreOptions circuit;
  SaperScoreOptions saper;
  Shard shard;  // which members; the others' importance stays empty
};

std::vector<OptionField> Fields(ScoreStepOptions& options);

// "taylor" scores every member on its own disjoint part of "select", drawn with the seed; "circuit"
// and "saper" as in selection/.  Writes scores.json (networks/head_choice.h) to `out`, or
// shard.json for merge-shards if there are several shards, and with "saper" the network that the
// members start from to its folder kSoftNetwork. Errors: INVALID_ARGUMENT options that make no
// sense, more images than "select" holds, or shards of "saper", which trains one network.
inline constexpr char kSoftNetwork[] = "soft";
absl::Status RunScore(const DataOptions& data, const ScoreStepOptions& options,
                      const std::string& base, const std::string& out, StepContext context);

}  // namespace hydra::builder
