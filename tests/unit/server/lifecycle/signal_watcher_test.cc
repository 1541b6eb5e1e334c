#include "server/lifecycle/signal_watcher.h"

#include <unistd.h>

#include <csignal>
#include <future>

#include "gtest/gtest.h"

namespace hydra::lifecycle {
namespace {

TEST(SignalWatcherTest, Signals_CallTheirHandlers) {
  std::promise<void> reloaded;
  std::promise<void> stopped_twice;
  int stops = 0;
  const auto watcher = SignalWatcher::Start({.stop =
                                                 [&] {
                                                   if (++stops == 2) stopped_twice.set_value();
                                                 },
                                             .reload = [&] { reloaded.set_value(); }});
  ASSERT_TRUE(watcher.ok()) << watcher.status();
  ::kill(::getpid(), SIGHUP);
  reloaded.get_future().wait();
  ::kill(::getpid(), SIGTERM);
  ::kill(::getpid(), SIGINT);
  stopped_twice.get_future().wait();
}

TEST(SignalWatcherTest, Destruction_EndsTheThread) {
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(SignalWatcher::Start({.stop = [] {}, .reload = [] {}}).ok());
  }
}

}  // namespace
}  // namespace hydra::lifecycle
