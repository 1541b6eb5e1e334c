// A clock that moves only when a test says so.
#pragma once

#include <atomic>
#include <cstdint>

#include "model/base/clock.h"

namespace hydra::fakes {

// Thread-safe.  Both times start at one fixed instant and advance together.
class FakeClock final : public base::Clock {
 public:
  absl::Time MonotonicNow() const override { return absl::FromUnixNanos(now_nanos_.load()); }
  absl::Time WallNow() const override { return MonotonicNow(); }

  void Advance(absl::Duration step) { now_nanos_.fetch_add(absl::ToInt64Nanoseconds(step)); }

 private:
  std::atomic<int64_t> now_nanos_ = 1'700'000'000'000'000'000;
};

}  // namespace hydra::fakes
