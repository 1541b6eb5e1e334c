#include "tests/unit/client/cli/run_cli.h"

#include <sstream>
#include <utility>

#include "client/cli/program.h"

namespace hydra::cli {

CliResult RunCli(std::vector<std::string> arguments,
                 std::shared_ptr<client::Connection> connection) {
  Program program;
  program.app().parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  std::ostringstream out, err;
  const ExitCode code =
      program.Run(out, err, [&](const client::Options&) { return client::Client(connection); });
  return {code, out.str(), err.str()};
}

}  // namespace hydra::cli
