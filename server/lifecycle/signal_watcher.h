// Signals as function calls on an ordinary thread.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"

namespace hydra::lifecycle {

struct SignalHandlers {
  std::function<void()> stop;    // SIGTERM, SIGINT
  std::function<void()> reload;  // SIGHUP
};

// Calls the handlers one after the other on a thread of its own until destroyed.
class SignalWatcher {
 public:
  // Blocks the three signals for this thread and all that it starts later, so it must run before
  // any other thread exists, and ignores SIGPIPE.  Errors: INTERNAL the system's reason.
  static absl::StatusOr<std::unique_ptr<SignalWatcher>> Start(SignalHandlers handlers);

  ~SignalWatcher();

 private:
  class Watch;

  explicit SignalWatcher(std::unique_ptr<Watch> watch);

  std::unique_ptr<Watch> watch_;
};

}  // namespace hydra::lifecycle
