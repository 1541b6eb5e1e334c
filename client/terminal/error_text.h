// Errors as people read them.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "client/terminal/exit_code.h"

namespace hydra::terminal {

// A server's error: code, message and reason, then a line for each wrong field, for the numbers of
// the message and for when to come back.  Ends with a newline.
//
//   refused (INVALID_ARGUMENT, BAD_IMAGE): one instance cannot be used
//     instances[3].image: not a JPEG or PNG
std::string ErrorText(const absl::Status& status);

ExitCode ExitCodeOf(const absl::Status& status);

}  // namespace hydra::terminal
