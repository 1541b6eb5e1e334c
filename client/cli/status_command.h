// hydra status: health of every service, the served model and its policy.
#pragma once

#include "client/cli/session.h"

namespace CLI {
class App;
}

namespace hydra::cli {

// `chosen` must outlive `app`; it is set when the subcommand is given.
void AddStatusCommand(CLI::App& app, Command& chosen);

}  // namespace hydra::cli
