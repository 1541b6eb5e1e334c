// What either protocol face makes of a request before the model runs, and when things happened.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/batching/job.h"
#include "server/policy/keeper.h"

namespace hydra::rpc {

// Validated: nothing in it can be wrong any more.
struct Plan {
  std::shared_ptr<const policy::Snapshot> snapshot;  // co-owned: the request is answered by it
  std::vector<float> rows;                           // [row_count, C * H * W]
  size_t row_count = 0;                              // 1 .. max_instances
  std::string request_id;
};

struct CallTimings {
  absl::Duration decode;
  batching::JobTimings job;
  absl::Duration total;
};

}  // namespace hydra::rpc
