// The program `hydra`: its flags, and the command they chose.
#pragma once

#include <functional>
#include <memory>
#include <ostream>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "client/cli/session.h"
#include "client/cpp/client.h"
#include "client/terminal/connection_flags.h"

namespace hydra::cli {

// Client::Create, or a test's fake.
using Connect = std::function<absl::StatusOr<client::Client>(const client::Options&)>;

// Parse the command line with app() (CLI11 throws CLI::ParseError), then Run.  Not thread-safe.
class Program {
 public:
  Program();

  CLI::App& app() { return app_; }
  ExitCode Run(std::ostream& out, std::ostream& err, const Connect& connect);

 private:
  CLI::App app_;
  terminal::ConnectionFlags connection_;
  bool json_ = false;
  Command chosen_;  // set by the subcommand that was given
};

}  // namespace hydra::cli
