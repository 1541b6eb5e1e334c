// The gRPC face of the server: every service on one port.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "model/base/clock.h"
#include "server/policy/keeper.h"
#include "server/policy/reservoir.h"
#include "server/rpc/predict/call_environment.h"
#include "server/rpc/wire/observer.h"

namespace hydra::rpc {

struct RpcServerOptions {
  std::string listen = "127.0.0.1:8001";  // port 0: the system's choice
  std::string token_file;                 // of the calls that change state; empty: none
  bool reflection = false;
  size_t completion_threads = 2;  // decode inputs and make answers
  // What a request may hold; published by GetModel.
  size_t max_instances = 32;  // at most the largest batch
  size_t max_message_bytes = size_t{64} << 20;
  size_t max_image_bytes = size_t{16} << 20;
  size_t max_image_pixels = size_t{64} << 20;
  size_t max_image_side = 16384;
  size_t max_text_bytes = size_t{64} << 10;
  // Connections.
  size_t memory_quota_bytes = size_t{512} << 20;  // of gRPC's buffers; a second line of defence
  size_t max_concurrent_streams = 256;            // per connection
  absl::Duration max_connection_idle = absl::Minutes(15);
  absl::Duration max_connection_age = absl::Minutes(5);  // so that clients find new replicas
  absl::Duration max_connection_age_grace = absl::Minutes(1);
  absl::Duration keepalive_time = absl::Seconds(60);
  absl::Duration keepalive_timeout = absl::Seconds(20);
  absl::Duration min_ping_interval = absl::Seconds(20);  // clients that ping more often are cut off
};

// All outlive the server; `submit` keeps its promise (batcher.h) until Shutdown has returned.
struct RpcServerDeps {
  SubmitJob submit;
  policy::Keeper& keeper;
  policy::Reservoir& reservoir;
  const base::Clock& clock;
  Observer& observer;
  std::string version;  // of this program, for metadata
};

enum class Health { kNotServing, kServing };

// Thread-safe.
class RpcServer {
 public:
  // Errors: INVALID_ARGUMENT an option out of range; FAILED_PRECONDITION the token file cannot be
  // used.
  static absl::StatusOr<std::unique_ptr<RpcServer>> Create(RpcServerOptions options,
                                                           RpcServerDeps deps);

  ~RpcServer();  // Shutdown without grace

  // Listens; health is kNotServing for every service.  Errors: UNAVAILABLE the address cannot be
  // bound.  Call once.
  absl::Status Start();

  // What grpc.health.v1 says for "" and for every service.
  void SetHealth(Health health);

  // Refuses new calls, waits at most `grace` for the running ones, then cancels them, and returns
  // when none is left.  Idempotent.
  void Shutdown(absl::Duration grace);

  int port() const;  // 0 before Start

 private:
  class Impl;

  explicit RpcServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace hydra::rpc
