// hydra threshold: read, preview, change and roll back the abstention policy.
#pragma once

#include "client/cli/session.h"

namespace CLI {
class App;
}

namespace hydra::cli {

// `chosen` must outlive `app`; it is set when the subcommand is given.
void AddThresholdCommand(CLI::App& app, Command& chosen);

}  // namespace hydra::cli
