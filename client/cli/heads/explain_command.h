// hydra explain: what heads look at in one input, as pictures and numbers.
#pragma once

#include "client/cli/session.h"

namespace CLI {
class App;
}

namespace hydra::cli {

// `chosen` must outlive `app`; it is set when the subcommand is given.
void AddExplainCommand(CLI::App& app, Command& chosen);

}  // namespace hydra::cli
