// Runs `hydra` in the test's process against a scripted connection.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/program.h"
#include "tests/fakes/fake_connection.h"

namespace hydra::cli {

struct CliResult {
  ExitCode code = ExitCode::kOk;
  std::string out;
  std::string err;
};

// `arguments` without the program's name; they must parse.
inline CliResult RunCli(std::vector<std::string> arguments,
                        std::shared_ptr<client::Connection> connection) {
  Program program;
  program.app().parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  std::ostringstream out, err;
  const ExitCode code =
      program.Run(out, err, [&](const client::Options&) { return client::Client(connection); });
  return {code, out.str(), err.str()};
}

}  // namespace hydra::cli
