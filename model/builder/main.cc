// hydra-builder: from a checkpoint to a bundle.
#include <cstdio>

#include "CLI/CLI.hpp"
#include "model/base/clock.h"
#include "model/builder/cli/command.h"
#include "model/builder/cli/terminal.h"
#include "model/nn/catch_torch.h"

int main(int argc, char** argv) {
  using namespace hydra;  // NOLINT(google-build-using-namespace): the program's own namespace

  CLI::App app("hydra-builder: from a fine-tuned checkpoint to a Hydra bundle");
  app.require_subcommand(1);
  app.fallthrough();
  size_t threads = 1;
  app.add_option("--threads", threads, "threads of matrix products")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  builder::Action action;
  builder::AddNetworkCommands(app, action);
  builder::AddQualityCommands(app, action);
  builder::AddZeroShotCommands(app, action);
  builder::AddBundleCommands(app, action);
  builder::AddPipelineCommands(app, action);
  CLI11_PARSE(app, argc, argv);

  const base::RealClock clock;
  builder::Terminal terminal(clock);
  const builder::StepContext context{clock, terminal, threads};
  const absl::Status status =
      nn::CatchTorch(app.get_subcommands().front()->get_name(), [&] { return action(context); });
  if (status.ok()) return 0;
  std::fprintf(stderr, "hydra-builder: %s\n", std::string(status.message()).c_str());
  return 1;
}
