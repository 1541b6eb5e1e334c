#include "model/base/clock.h"

#include <chrono>

namespace hydra::base {

absl::Time RealClock::MonotonicNow() const {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return absl::UnixEpoch() + absl::FromChrono(since_start);
}

absl::Time RealClock::WallNow() const { return absl::Now(); }

}  // namespace hydra::base
