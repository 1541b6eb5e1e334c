// What every step is given beside its options: time, threads and a place to report to.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "model/base/clock.h"

namespace hydra::builder {

// Where steps tell what they do.  Called by one thread at a time.
class Console {
 public:
  virtual ~Console() = default;

  // One line that stays.
  virtual void Line(absl::string_view text) = 0;

  // A line that the next one replaces on a terminal: "train  1200/1284  loss 0.412", with the
  // estimated rest.
  virtual void Progress(absl::string_view text, absl::Duration remaining) = 0;
};

struct StepContext {
  const base::Clock& clock;
  Console& console;
  size_t threads = 1;  // of LibTorch
};

}  // namespace hydra::builder
