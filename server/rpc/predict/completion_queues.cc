#include "server/rpc/predict/completion_queues.h"

namespace hydra::rpc {
namespace {

void RunEvents(grpc::ServerCompletionQueue& queue) {
  void* tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) static_cast<QueueEvent*>(tag)->Fire(ok);
}

}  // namespace

CompletionQueues::CompletionQueues(size_t count, grpc::ServerBuilder& builder) {
  for (size_t i = 0; i < count; ++i) queues_.push_back(builder.AddCompletionQueue());
}

CompletionQueues::~CompletionQueues() { Stop(); }

void CompletionQueues::Start() {
  for (const auto& queue : queues_) {
    threads_.emplace_back([&queue = *queue] { RunEvents(queue); });
  }
}

void CompletionQueues::Stop() {
  if (stopped_) return;
  stopped_ = true;
  for (const auto& queue : queues_) queue->Shutdown();
  if (threads_.empty()) {
    // Never started: gRPC wants every queue drained before it goes away.
    for (const auto& queue : queues_) RunEvents(*queue);
  }
  threads_.clear();
}

}  // namespace hydra::rpc
