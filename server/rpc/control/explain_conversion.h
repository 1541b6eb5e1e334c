// ExplainHeads: the request checked against the served bundle, and maps as hydra.v1 says them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hydra/v1/head_map.pb.h"
#include "model/runtime/head_attention.h"
#include "server/policy/keeper.h"
#include "server/rpc/predict/row_reader.h"

namespace hydra::rpc {

inline constexpr size_t kMaxExplainedHeads = 64;

// Validated: every head is one that its member keeps.
struct ExplainPlan {
  std::shared_ptr<const policy::Snapshot> snapshot;  // co-owned: the request is answered by it
  InputRow input;
  std::vector<runtime::HeadQuery> heads;
  bool return_png = false;
};

// Errors: INVALID_ARGUMENT with the path of the wrong field ("heads[2].head"; reasons
// NO_SUCH_LAYER, NO_SUCH_HEAD, NO_SUCH_MEMBER, and HEAD_REMOVED with the members that do keep it);
// NOT_FOUND another model; UNIMPLEMENTED members that are readers.
absl::StatusOr<ExplainPlan> PlanExplain(const v1::ExplainHeadsRequest& request,
                                        std::shared_ptr<const policy::Snapshot> snapshot,
                                        const RequestLimits& limits);

// The map of `attention`, which belongs to head `index` of the plan.  Errors: INVALID_ARGUMENT
// TOO_FEW_TOKENS, at the path "instance"; INTERNAL attention that has no map (EXPLAIN_FAILED).
absl::StatusOr<v1::HeadExplanation> ExplainHead(const ExplainPlan& plan, size_t index,
                                                const runtime::HeadAttention& attention);

}  // namespace hydra::rpc
