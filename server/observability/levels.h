// Metrics that are read off the server when somebody scrapes.
#pragma once

#include <cstddef>

#include "absl/time/time.h"
#include "prometheus/gauge.h"
#include "prometheus/registry.h"

namespace hydra::observability {

struct Levels {
  bool ready = false;
  size_t queue_requests = 0;
  size_t queue_rows = 0;
  size_t queue_bytes = 0;
  absl::Duration oldest_wait;
  size_t in_flight_rows = 0;
  absl::Duration slowest_lane;  // since the last beat of the lane that is longest without one
};

// Thread-safe.
class LevelGauges {
 public:
  // Registers them; the registry owns them and outlives this object.
  explicit LevelGauges(prometheus::Registry& registry);

  void Set(const Levels& levels);

 private:
  prometheus::Gauge& ready_;
  prometheus::Gauge& queue_requests_;
  prometheus::Gauge& queue_rows_;
  prometheus::Gauge& queue_bytes_;
  prometheus::Gauge& oldest_wait_;
  prometheus::Gauge& in_flight_rows_;
  prometheus::Gauge& slowest_lane_;
};

}  // namespace hydra::observability
