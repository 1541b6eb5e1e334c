// Runs ExplainHeads: one forward pass on a lane, then the maps on the calling RPC thread.
#pragma once

#include <atomic>

#include "absl/status/statusor.h"
#include "grpcpp/server_context.h"
#include "hydra/v1/head_map.pb.h"
#include "server/rpc/predict/call_environment.h"

namespace hydra::rpc {

// A call waits in the queue like any other and takes one lane for one pass, alone.  One call runs
// at a time, since the eigenproblems of a call may take a core for seconds.  Thread-safe.
class HeadExplainer {
 public:
  // `environment` outlives it.
  explicit HeadExplainer(const CallEnvironment& environment) : environment_(environment) {}

  // Errors: as PlanExplain and ExplainHead; RESOURCE_EXHAUSTED EXPLAIN_BUSY another call runs, with
  // a retry delay; DEADLINE_EXCEEDED, CANCELLED; and those of Batcher::Submit.
  absl::StatusOr<v1::ExplainHeadsResponse> Explain(const grpc::ServerContext& context,
                                                   const v1::ExplainHeadsRequest& request);

 private:
  const CallEnvironment& environment_;
  std::atomic<bool> busy_ = false;
};

}  // namespace hydra::rpc
