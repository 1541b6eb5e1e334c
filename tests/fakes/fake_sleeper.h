// Waiting that only moves a fake clock.
#pragma once

#include "client/cpp/sleeper.h"
#include "tests/fakes/fake_clock.h"

namespace hydra::fakes {

// Waits by advancing `clock`, which must outlive it.  Thread-safe.
class FakeSleeper final : public client::Sleeper {
 public:
  explicit FakeSleeper(FakeClock& clock) : clock_(clock) {}

  void Wait(absl::Duration duration) override {
    if (duration > absl::ZeroDuration()) clock_.Advance(duration);
  }

 private:
  FakeClock& clock_;
};

}  // namespace hydra::fakes
