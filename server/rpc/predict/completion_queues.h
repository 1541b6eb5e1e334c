// The threads that run asynchronous calls.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "grpcpp/completion_queue.h"
#include "grpcpp/server_builder.h"

namespace hydra::rpc {

// One expected event; its address is gRPC's tag, so it lives until it has fired.
class QueueEvent {
 public:
  explicit QueueEvent(std::function<void(bool ok)> fire) : fire_(std::move(fire)) {}
  QueueEvent(const QueueEvent&) = delete;
  QueueEvent& operator=(const QueueEvent&) = delete;

  // May destroy the event.
  void Fire(bool ok) { fire_(ok); }

 private:
  std::function<void(bool ok)> fire_;
};

// Own threads, one a queue: gRPC's callback API sleeps up to 100 ms after an idle second.  All
// events of a call fire on the thread of its queue.
class CompletionQueues {
 public:
  // `count` >= 1 queues of the server that `builder` makes.
  CompletionQueues(size_t count, grpc::ServerBuilder& builder);
  ~CompletionQueues();  // Stop()

  void Start();

  // Call after the server's Shutdown, when no call is left.  Idempotent; not thread-safe.
  void Stop();

  const std::vector<std::unique_ptr<grpc::ServerCompletionQueue>>& queues() const {
    return queues_;
  }

 private:
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> queues_;
  std::vector<std::jthread> threads_;
  bool stopped_ = false;
};

}  // namespace hydra::rpc
