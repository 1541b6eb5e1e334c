// What either protocol face makes of a request before the model runs, and when things happened.
#pragma once

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "server/batching/job.h"
#include "server/policy/keeper.h"
#include "server/rpc/predict/row_reader.h"

namespace hydra::rpc {

// Validated: nothing in it can be wrong any more.
struct Plan {
  std::shared_ptr<const policy::Snapshot> snapshot;  // co-owned: the request is answered by it
  InputRows inputs;                                  // 1 .. max_instances
  std::string request_id;
};

struct CallTimings {
  absl::Duration decode;
  batching::JobTimings job;
  absl::Duration total;
};

}  // namespace hydra::rpc
