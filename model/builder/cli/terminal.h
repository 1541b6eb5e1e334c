// The console of a person at a terminal, or of a log.
#pragma once

#include "absl/time/time.h"
#include "model/base/clock.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

// Lines go to stdout.  Progress goes to stderr: on a terminal as a line that is replaced, else as a
// line every thirty seconds.
class Terminal final : public Console {
 public:
  explicit Terminal(const base::Clock& clock);
  void Line(absl::string_view text) override;
  void Progress(absl::string_view text, absl::Duration remaining) override;

 private:
  const base::Clock& clock_;
  const bool interactive_;
  bool pending_ = false;  // a progress line is on the terminal
  absl::Time last_ = absl::InfinitePast();
};

}  // namespace hydra::builder
