// Plain HTTP for probes and Prometheus, on a port of its own so that TLS never blocks a probe.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hydra::observability {

// A probe passes with OK; otherwise it fails and the message is its body.
using Probe = std::function<absl::Status()>;

struct AdminHandlers {
  std::function<std::string()> metrics;  // GET /metrics
  Probe live;                            // GET /livez
  Probe ready;                           // GET /readyz
  std::function<std::string()> version;  // GET /version, JSON
};

// GET and HEAD only, four threads, small requests, short timeouts.  Thread-safe.
class AdminServer {
 public:
  // Listens on `address` (HOST:PORT, port 0: the system's choice) and answers until destroyed.  The
  // handlers are called on several threads at once.  Errors: INVALID_ARGUMENT not an address;
  // UNAVAILABLE it cannot be bound.
  static absl::StatusOr<std::unique_ptr<AdminServer>> Start(const std::string& address,
                                                            AdminHandlers handlers);

  ~AdminServer();

  int port() const { return port_; }

 private:
  class Listener;

  AdminServer(std::unique_ptr<Listener> listener, int port);

  std::unique_ptr<Listener> listener_;
  int port_;
};

}  // namespace hydra::observability
