// The project's one source of time, injected so that tests never sleep.
#pragma once

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace hydra::base {

// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // Never goes backwards; not related to the date.
  virtual absl::Time MonotonicNow() const = 0;

  // The date, for receipts and logs.
  virtual absl::Time WallNow() const = 0;
};

class RealClock final : public Clock {
 public:
  absl::Time MonotonicNow() const override;
  absl::Time WallNow() const override;
};

}  // namespace hydra::base
