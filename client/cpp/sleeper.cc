#include "client/cpp/sleeper.h"

#include <thread>

namespace hydra::client {

void RealSleeper::Wait(absl::Duration duration) {
  if (duration > absl::ZeroDuration()) {
    std::this_thread::sleep_for(absl::ToChronoNanoseconds(duration));
  }
}

}  // namespace hydra::client
