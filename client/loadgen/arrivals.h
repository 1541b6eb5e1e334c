// When an open-loop load sends: scheduled beforehand, never moved by how fast the answers come.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "model/base/rng.h"

namespace hydra::loadgen {

enum class ArrivalKind {
  kPoisson,   // independent clients: exponential gaps
  kConstant,  // equal gaps; hides queueing that real traffic shows
  kBurst,     // `burst_size` calls at once, the bursts at equal gaps
};

struct ArrivalOptions {
  ArrivalKind kind = ArrivalKind::kPoisson;
  double calls_per_second = 100.0;  // mean rate of calls, bursts included; (0, 1e6]
  size_t burst_size = 8;            // kBurst only; 1..10000
  uint64_t seed = 1;
};

// An endless, non-decreasing sequence of send times.  Not thread-safe.
class ArrivalSchedule {
 public:
  // Errors: INVALID_ARGUMENT an option outside its range.
  static absl::StatusOr<ArrivalSchedule> Create(ArrivalOptions options);

  // The next send time, as an offset from the start of the load.
  absl::Duration Next();

 private:
  explicit ArrivalSchedule(ArrivalOptions options);

  ArrivalOptions options_;
  base::Rng rng_;
  uint64_t calls_ = 0;
  double poisson_seconds_ = 0.0;
};

}  // namespace hydra::loadgen
