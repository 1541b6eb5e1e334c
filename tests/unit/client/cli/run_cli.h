// Runs `hydra` in the test's process against a scripted connection.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/terminal/exit_code.h"
#include "tests/fakes/fake_connection.h"

namespace hydra::cli {

using terminal::ExitCode;

struct CliResult {
  ExitCode code = ExitCode::kOk;
  std::string out;
  std::string err;
};

// `arguments` without the program's name; they must parse.
CliResult RunCli(std::vector<std::string> arguments,
                 std::shared_ptr<client::Connection> connection);

}  // namespace hydra::cli
