// What kind of load, how much of it and for how long.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/loadgen/arrivals.h"

namespace hydra::loadgen {

enum class LoadKind {
  kClosed,  // `concurrency` callers, each waits for its answer: finds the throughput
  kOpen,    // calls at scheduled times, whatever the server does: finds the latency under a load
};

struct Load {
  LoadKind kind = LoadKind::kClosed;
  size_t concurrency = 8;       // kClosed; 1..10000
  ArrivalOptions arrivals;      // kOpen
  size_t max_in_flight = 4096;  // kOpen; calls due beyond it are counted, not sent; 1..100000
  absl::Duration warm_up = absl::Seconds(2);    // [0, 10 min]
  absl::Duration duration = absl::Seconds(10);  // measured, after the warm-up; (0, 1 h]
  size_t max_calls = 1'000'000;                 // warm-up included; 1..5e6
  absl::Duration deadline = absl::Seconds(1);   // of each call, from when it is sent; (0, 1 h]
};

// Errors: INVALID_ARGUMENT names the value and what was wanted.
absl::Status Validate(const Load& load);

}  // namespace hydra::loadgen
