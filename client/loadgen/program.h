// The program `hydra-loadgen`: its flags and one run.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "client/input/flags.h"
#include "client/loadgen/load.h"
#include "client/terminal/connection_flags.h"
#include "client/terminal/exit_code.h"
#include "hydra/v1/prediction.pb.h"

namespace hydra::loadgen {

// Parse the command line with app() (CLI11 throws CLI::ParseError), then Run.  Not thread-safe.
class Program {
 public:
  Program();

  CLI::App& app() { return app_; }
  terminal::ExitCode Run(std::ostream& out, std::ostream& err);

 private:
  void AddLoadFlags();
  absl::StatusOr<Load> MakeLoad() const;
  absl::StatusOr<std::vector<v1::PredictRequest>> MakeRequests() const;

  CLI::App app_;
  terminal::ConnectionFlags connection_;
  input::InputFlags input_;
  Load load_;
  std::string mode_ = "closed";
  std::string warm_up_ = "2s";
  std::string duration_ = "10s";
  size_t rows_ = 1;
  size_t inputs_ = 256;
  bool json_ = false;
};

}  // namespace hydra::loadgen
