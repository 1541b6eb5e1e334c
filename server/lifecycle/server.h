// A server's life: start, serve, drain.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model/base/clock.h"
#include "model/base/mutex.h"
#include "server/batching/batcher.h"
#include "server/config/server_config.h"
#include "server/lifecycle/metrics_observers.h"
#include "server/lifecycle/model_setup.h"
#include "server/lifecycle/readiness.h"
#include "server/lifecycle/state_directory.h"
#include "server/lifecycle/stop_request.h"
#include "server/observability/admin_server.h"
#include "server/observability/logger.h"
#include "server/observability/metrics.h"
#include "server/policy/keeper.h"
#include "server/policy/reservoir.h"
#include "server/policy/store.h"
#include "server/rpc/rpc_server.h"

namespace hydra::lifecycle {

struct Ports {
  int grpc = 0;
  int admin = 0;
};

struct ServerDeps {
  Runtime runtime;
  const base::Clock& clock;       // outlives the server
  observability::Logger& logger;  // outlives the server
  std::string version;
  std::function<void(Ports)> on_ready;  // on the thread of Run
};

class Server {
 public:
  // `config` is valid.
  Server(config::ServerConfig config, ServerDeps deps);
  ~Server();

  // Starts, serves until RequestStop, drains.  Call once.  OK after the drain.  Errors: CANCELLED
  // stopped while starting; otherwise what made the start fail.
  absl::Status Run();

  // From any thread.  The first request drains: not ready, drain.delay, no new calls, at most
  // drain.grace for the calls in flight.  The second skips what is left of the delay and answers
  // what still waits for a lane with UNAVAILABLE.  Returns how often it was called.
  size_t RequestStop();

  // Reads the policy file again; a failure leaves the active policy.  From any thread.
  void Reload();

 private:
  absl::Status Start();
  absl::Status StartAdmin();
  absl::Status Announce(absl::string_view step);
  absl::Status OpenPolicy(policy::ServedBundle served);
  absl::Status StartBatcher(LoadedModel& model);
  absl::Status StartRpc();
  void Drain();
  absl::Status CheckLanes() const;
  std::string ScrapeMetrics();
  std::string VersionJson() const;

  const config::ServerConfig config_;
  const ServerDeps deps_;
  StopRequest stop_;
  Readiness readiness_;
  observability::Metrics metrics_;
  BatchMetrics batch_metrics_;
  CallMetrics call_metrics_;

  // In the order of their making; each uses those above it.
  std::unique_ptr<StateDirectory> state_directory_;  // null without policy.state_directory
  std::unique_ptr<policy::Store> store_;
  std::unique_ptr<policy::Reservoir> reservoir_;
  std::unique_ptr<policy::Keeper> keeper_;
  std::unique_ptr<batching::Batcher> batcher_;
  std::unique_ptr<rpc::RpcServer> rpc_;
  // What other threads may see of them; null until they are there.
  std::atomic<policy::Keeper*> live_keeper_ = nullptr;
  std::atomic<batching::Batcher*> live_batcher_ = nullptr;
  std::unique_ptr<observability::AdminServer> admin_;  // last: its threads see all of the above
};

}  // namespace hydra::lifecycle
