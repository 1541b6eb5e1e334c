// From a bundle on disk to predictors that are proven and warm.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/base/clock.h"
#include "model/runtime/loader.h"
#include "model/runtime/predictor.h"
#include "server/batching/cost_model.h"
#include "server/config/server_config.h"
#include "server/policy/served_bundle.h"

namespace hydra::lifecycle {

// LibTorch's side (model/runtime/loader.h), or a test's double.
struct Runtime {
  std::function<absl::StatusOr<std::unique_ptr<runtime::Predictor>>(const artifact::Bundle&,
                                                                    runtime::PredictorOptions)>
      load_predictor;
  std::function<runtime::Numerics(runtime::Numerics)> resolve_numerics;
};

struct LoadedModel {
  policy::ServedBundle served;
  std::vector<std::unique_ptr<runtime::Predictor>> predictors;  // one per lane
  batching::CostModel cost;
};

// Told before each step what it is; anything but OK ends the set-up with that status.
using Progress = std::function<absl::Status(absl::string_view step)>;

// Opens and verifies the bundle, makes one predictor per lane, replays the golden answers on each
// and runs every rung of the ladder, or texts of several lengths.  Errors: FAILED_PRECONDITION no
// bundle is configured, its tokenizer does not fit its network or batching.max_tokens, or the
// golden answers differ; else of Bundle::Open, the tokenizer, the runtime or `progress`.
absl::StatusOr<LoadedModel> SetUpModel(const config::ServerConfig& config, const Runtime& runtime,
                                       const base::Clock& clock, const Progress& progress);

}  // namespace hydra::lifecycle
