// hydra predict: images, folders, IDX files, raw tensors or texts, a table or JSON lines.
#pragma once

#include "client/cli/session.h"

namespace CLI {
class App;
}

namespace hydra::cli {

// `chosen` must outlive `app`; it is set when the subcommand is given.
void AddPredictCommand(CLI::App& app, Command& chosen);

}  // namespace hydra::cli
