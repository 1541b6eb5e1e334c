#include "server/lifecycle/stop_request.h"

namespace hydra::lifecycle {

void StopRequest::WaitUnlessHurried(absl::Duration time, const base::Clock& clock) {
  const absl::Time end = clock.MonotonicNow() + time;
  base::MutexLock lock(mutex_);
  while (count_ < 2) {
    const absl::Duration left = end - clock.MonotonicNow();
    if (left <= absl::ZeroDuration()) return;
    changed_.WaitFor(mutex_, left);
  }
}

}  // namespace hydra::lifecycle
