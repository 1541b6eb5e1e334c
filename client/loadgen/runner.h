// Sends a load and records what became of every call.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "client/cpp/options.h"
#include "client/cpp/sleeper.h"
#include "client/loadgen/load.h"
#include "client/loadgen/recorder.h"
#include "hydra/v1/prediction.pb.h"
#include "model/base/clock.h"

namespace hydra::loadgen {

// Both must outlive the run.
struct RunnerDeps {
  const base::Clock& clock;
  client::Sleeper& sleeper;
};

// Sends `requests` in turn, over and over, without retries.  One call goes ahead of the load: when
// the server cannot be reached or refuses it for good, nothing more is sent.
// An open load has a thread that only sends, so that slow answers never move the schedule.
// Errors: INVALID_ARGUMENT the load, the options or no request; else the status of the first call.
absl::StatusOr<LoadSummary> RunLoad(const Load& load, const client::Options& options,
                                    const std::vector<v1::PredictRequest>& requests,
                                    RunnerDeps deps);

}  // namespace hydra::loadgen
