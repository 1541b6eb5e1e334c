// hydra-server: serves one bundle over gRPC.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "model/base/clock.h"
#include "model/runtime/loader.h"
#include "server/config/config_text.h"
#include "server/lifecycle/server.h"
#include "server/lifecycle/signal_watcher.h"
#include "server/observability/logger.h"

namespace {

using hydra::config::LogLevel;

struct CommandLine {
  hydra::config::Flags flags;
  bool check_config = false;
  bool print_config = false;
};

void AddFlags(CLI::App& app, CommandLine& line) {
  app.set_version_flag("--version", "hydra-server " HYDRA_VERSION);
  // The last one wins, so that a wrapper's arguments can be overridden.
  const auto add = [&app](const char* name, std::optional<std::string>& value, const char* help) {
    app.add_option(name, value, help)->take_last();
  };
  add("--config", line.flags.config_file, "YAML file; see docs/configuration.md");
  add("--bundle", line.flags.bundle, "Bundle to serve: a directory or a .tar");
  add("--listen", line.flags.listen, "gRPC address, HOST:PORT");
  add("--admin-listen", line.flags.admin_listen,
      "HTTP address of /metrics, /livez, /readyz and /version");
  app.add_flag("--check-config", line.check_config, "Check the configuration and end");
  app.add_flag("--print-config", line.print_config, "Print every key with its value and end");
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "hydra-server: %s\n", std::string(status.message()).c_str());
  return EXIT_FAILURE;
}

int Serve(hydra::config::ServerConfig config) {
  const hydra::base::RealClock clock;
  hydra::observability::Logger logger(config.log, clock, hydra::observability::StandardErrorSink());
  std::atomic<bool> started = false;
  hydra::lifecycle::Server server(
      std::move(config), {.runtime = {.load_predictor = hydra::runtime::LoadPredictor,
                                      .resolve_numerics = hydra::runtime::ResolveNumerics},
                          .clock = clock,
                          .logger = logger,
                          .version = HYDRA_VERSION,
                          .on_ready = [&started](hydra::lifecycle::Ports) { started = true; }});
  const auto signals =
      hydra::lifecycle::SignalWatcher::Start({.stop =
                                                  [&] {
                                                    // Loading cannot be interrupted; whoever
                                                    // insists does not wait for it.
                                                    if (server.RequestStop() > 1 && !started)
                                                      std::_Exit(EXIT_FAILURE);
                                                  },
                                              .reload = [&] { server.Reload(); }});
  if (!signals.ok()) return Fail(signals.status());

  const absl::Status status = server.Run();
  if (status.ok() || absl::IsCancelled(status)) return EXIT_SUCCESS;
  logger.Log(LogLevel::kError, "failed",
             {{"code", absl::StatusCodeToString(status.code())},
              {"message", std::string(status.message())}});
  return EXIT_FAILURE;
}

int Main(int argc, char** argv) {
  CLI::App app("Serves a Hydra bundle over gRPC.");
  CommandLine line;
  AddFlags(app, line);
  CLI11_PARSE(app, argc, argv);
  auto config = hydra::config::LoadConfig(line.flags);
  if (!config.ok()) return Fail(config.status());
  if (line.print_config) std::fputs(hydra::config::PrintConfig(*config).c_str(), stdout);
  if (line.check_config || line.print_config) return EXIT_SUCCESS;
  return Serve(*std::move(config));
}

}  // namespace

int main(int argc, char** argv) { return Main(argc, argv); }
