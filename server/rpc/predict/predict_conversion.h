// hydra.v1 messages of PredictionService to domain types and back.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hydra/v1/prediction.pb.h"
#include "server/policy/keeper.h"
#include "server/rpc/predict/answering.h"
#include "server/rpc/predict/plan.h"
#include "server/rpc/predict/row_reader.h"

namespace hydra::rpc {

struct PredictPlan : Plan {
  size_t top_k = 1;  // 1..C
  bool withhold_on_abstain = false;
  bool return_members = false;
  bool return_timings = false;
  std::optional<size_t> quantile;  // whose conformal set is returned; unset: the bundle has none
  std::vector<absl::Status> instances;  // one per instance; the OK ones are the rows, in order
};

// Errors: INVALID_ARGUMENT with one violation for each wrong field ("instances[3].image").
absl::StatusOr<PredictPlan> PlanPredict(const v1::PredictRequest& request,
                                        std::shared_ptr<const policy::Snapshot> snapshot,
                                        const RequestLimits& limits);

// `rows`: one per row of the plan.
v1::PredictResponse MakePredictResponse(const PredictPlan& plan, absl::Span<const AnsweredRow> rows,
                                        const CallTimings& timings);

}  // namespace hydra::rpc
