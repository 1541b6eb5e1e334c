// Whether the server takes requests, and why not.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model/base/mutex.h"

namespace hydra::lifecycle {

// Thread-safe.
class Readiness {
 public:
  // OK while requests are taken; else UNAVAILABLE with the reason.
  absl::Status Get() const {
    base::MutexLock lock(mutex_);
    return status_;
  }

  void SetReady() {
    base::MutexLock lock(mutex_);
    status_ = absl::OkStatus();
  }

  void SetNotReady(absl::string_view reason) {
    base::MutexLock lock(mutex_);
    status_ = absl::UnavailableError(reason);
  }

 private:
  mutable base::Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_) = absl::UnavailableError("starting");
};

}  // namespace hydra::lifecycle
