// Somebody asks the server to end: once to drain, twice to hurry.
#pragma once

#include <cstddef>

#include "absl/time/time.h"
#include "model/base/clock.h"
#include "model/base/mutex.h"

namespace hydra::lifecycle {

// Thread-safe.
class StopRequest {
 public:
  // How often it was asked for, this time included.
  size_t Raise() {
    base::MutexLock lock(mutex_);
    changed_.NotifyAll();
    return ++count_;
  }

  bool raised() const {
    base::MutexLock lock(mutex_);
    return count_ > 0;
  }

  bool hurried() const {
    base::MutexLock lock(mutex_);
    return count_ > 1;
  }

  void Wait() {
    base::MutexLock lock(mutex_);
    while (count_ == 0) changed_.Wait(mutex_);
  }

  // Returns after `time`, or as soon as somebody hurries.
  void WaitUnlessHurried(absl::Duration time, const base::Clock& clock);

  // Returns true when somebody hurries, false when Finish was called first.
  bool WaitForHurry() {
    base::MutexLock lock(mutex_);
    while (count_ < 2 && !finished_) changed_.Wait(mutex_);
    return count_ >= 2;
  }

  // Ends WaitForHurry.
  void Finish() {
    base::MutexLock lock(mutex_);
    finished_ = true;
    changed_.NotifyAll();
  }

 private:
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  size_t count_ ABSL_GUARDED_BY(mutex_) = 0;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace hydra::lifecycle
