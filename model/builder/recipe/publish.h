// Putting a finished directory where others look for it.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace hydra::builder {

// Copies the directory `from` to `to`: a copy beside `to` is renamed over it, so that `to` is the
// old or the new directory, or for an instant absent, never a mixture.  Nothing is done if `to`
// holds the same SHA256SUMS.  Errors: INTERNAL the system's reason.
absl::Status PublishDirectory(const std::string& from, const std::string& to);

}  // namespace hydra::builder
