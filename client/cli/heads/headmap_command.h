// hydra headmap: which heads each member kept, as a picture.
#pragma once

#include "client/cli/session.h"

namespace CLI {
class App;
}

namespace hydra::cli {

// `chosen` must outlive `app`; it is set when the subcommand is given.
void AddHeadmapCommand(CLI::App& app, Command& chosen);

}  // namespace hydra::cli
