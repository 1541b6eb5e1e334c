// Waiting, injected so that tests of retries and of load schedules never sleep.
#pragma once

#include "absl/time/time.h"

namespace hydra::client {

// Thread-safe.
class Sleeper {
 public:
  virtual ~Sleeper() = default;

  // Blocks the calling thread; returns at once when `duration` is not positive.
  virtual void Wait(absl::Duration duration) = 0;
};

class RealSleeper final : public Sleeper {
 public:
  void Wait(absl::Duration duration) override;
};

}  // namespace hydra::client
