#include "server/lifecycle/signal_watcher.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace hydra::lifecycle {
namespace {

sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

absl::Status SystemError(const char* call) {
  return absl::InternalError(absl::StrCat(call, ": ", std::strerror(errno)));
}

}  // namespace

class SignalWatcher::Watch {
 public:
  Watch(SignalHandlers handlers, int signals, int end)
      : handlers_(std::move(handlers)), signals_(signals), end_(end), thread_([this] { Loop(); }) {}

  ~Watch() {
    const uint64_t one = 1;
    // An event counter of 0 takes any value, so this cannot fail.
    [[maybe_unused]] const ssize_t written = ::write(end_, &one, sizeof(one));
    thread_.join();
    ::close(signals_);
    ::close(end_);
  }

 private:
  void Loop() {
    pollfd ready[2] = {{.fd = signals_, .events = POLLIN}, {.fd = end_, .events = POLLIN}};
    while (true) {
      if (::poll(ready, 2, -1) < 0) continue;  // EINTR is the only reason left
      if (ready[1].revents != 0) return;
      signalfd_siginfo got{};
      if (::read(signals_, &got, sizeof(got)) != sizeof(got)) continue;
      if (got.ssi_signo == SIGHUP) {
        handlers_.reload();
      } else {
        handlers_.stop();
      }
    }
  }

  const SignalHandlers handlers_;
  const int signals_;
  const int end_;
  std::jthread thread_;
};

absl::StatusOr<std::unique_ptr<SignalWatcher>> SignalWatcher::Start(SignalHandlers handlers) {
  const sigset_t set = WatchedSignals();
  std::signal(SIGPIPE, SIG_IGN);
  if (::pthread_sigmask(SIG_BLOCK, &set, nullptr) != 0) return SystemError("pthread_sigmask");
  const int signals = ::signalfd(-1, &set, SFD_CLOEXEC);
  if (signals < 0) return SystemError("signalfd");
  const int end = ::eventfd(0, EFD_CLOEXEC);
  if (end < 0) {
    const absl::Status error = SystemError("eventfd");
    ::close(signals);
    return error;
  }
  return std::unique_ptr<SignalWatcher>(
      new SignalWatcher(std::make_unique<Watch>(std::move(handlers), signals, end)));
}

SignalWatcher::SignalWatcher(std::unique_ptr<Watch> watch) : watch_(std::move(watch)) {}

SignalWatcher::~SignalWatcher() = default;

}  // namespace hydra::lifecycle
