// hydra model: what is served, what it takes and what is known about it.
#pragma once

#include "client/cli/session.h"

namespace CLI {
class App;
}

namespace hydra::cli {

// `chosen` must outlive `app`; it is set when the subcommand is given.
void AddModelCommand(CLI::App& app, Command& chosen);

}  // namespace hydra::cli
