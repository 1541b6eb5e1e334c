#include "server/observability/admin_server.h"

#include <httplib.h>

#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "server/config/host_port.h"

namespace hydra::observability {
namespace {

constexpr size_t kThreads = 4;
constexpr size_t kMaxPayloadBytes = 1024;  // nobody has a reason to send a body
constexpr time_t kTimeoutSeconds = 5;

void AnswerProbe(const Probe& probe, httplib::Response& response) {
  const absl::Status status = probe();
  response.status = status.ok() ? 200 : 503;
  response.set_content(status.ok() ? "ok\n" : std::string(status.message()) + "\n", "text/plain");
}

// Without httplib's SO_REUSEPORT, by which two servers could share a port by accident.
void SetSocketOptions(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

}  // namespace

class AdminServer::Listener {
 public:
  explicit Listener(AdminHandlers handlers) : handlers_(std::move(handlers)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_payload_max_length(kMaxPayloadBytes);
    server_.set_read_timeout(kTimeoutSeconds);
    server_.set_write_timeout(kTimeoutSeconds);
    server_.set_keep_alive_timeout(kTimeoutSeconds);
    server_.set_socket_options(SetSocketOptions);
    server_.Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(handlers_.metrics(), "text/plain; version=0.0.4; charset=utf-8");
    });
    server_.Get("/livez", [this](const httplib::Request&, httplib::Response& response) {
      AnswerProbe(handlers_.live, response);
    });
    server_.Get("/readyz", [this](const httplib::Request&, httplib::Response& response) {
      AnswerProbe(handlers_.ready, response);
    });
    server_.Get("/version", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(handlers_.version(), "application/json");
    });
  }

  ~Listener() {
    // stop() before the accept loop runs would have no effect.
    while (thread_.joinable() && !server_.is_running() && !ended_) std::this_thread::yield();
    server_.stop();
  }

  // The port, or unset when the address cannot be bound.
  std::optional<int> Bind(const config::HostPort& address) {
    if (address.port != 0) {
      if (!server_.bind_to_port(address.host, address.port)) return std::nullopt;
      return address.port;
    }
    const int port = server_.bind_to_any_port(address.host);
    return port > 0 ? std::optional<int>(port) : std::nullopt;
  }

  void Run() {
    thread_ = std::jthread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
  }

 private:
  const AdminHandlers handlers_;
  httplib::Server server_;
  std::atomic<bool> ended_ = false;
  std::jthread thread_;  // last: joined before what it uses goes away
};

absl::StatusOr<std::unique_ptr<AdminServer>> AdminServer::Start(const std::string& address,
                                                                AdminHandlers handlers) {
  HYDRA_ASSIGN_OR_RETURN(const config::HostPort parsed, config::ParseHostPort(address));
  auto listener = std::make_unique<Listener>(std::move(handlers));
  const std::optional<int> port = listener->Bind(parsed);
  if (!port.has_value()) {
    return absl::UnavailableError(
        absl::StrCat("admin_listen: got ", address, ", which cannot be bound"));
  }
  listener->Run();
  return std::unique_ptr<AdminServer>(new AdminServer(std::move(listener), *port));
}

AdminServer::AdminServer(std::unique_ptr<Listener> listener, int port)
    : listener_(std::move(listener)), port_(port) {}

AdminServer::~AdminServer() = default;

}  // namespace hydra::observability
