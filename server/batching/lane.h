// One thread that owns one predictor and runs batch after batch on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "model/base/clock.h"
#include "model/runtime/predictor.h"
#include "server/batching/batch.h"
#include "server/batching/dispatcher.h"
#include "server/batching/observer.h"

namespace hydra::batching {

// A failed pass answers its jobs with the failure and the lane goes on; a pass that ran out of
// memory is first tried again in halves.
class Lane {
 public:
  // Starts the thread.  The references outlive the lane.
  Lane(Dispatcher& dispatcher, std::unique_ptr<runtime::Predictor> predictor,
       const base::Clock& clock, Observer& observer);

  // The dispatcher must have been stopped.
  ~Lane() { Join(); }

  // Waits for the end of the last batch after Dispatcher::Stop.  For one thread at a time.
  void Join();

  // Thread-safe.
  absl::Time last_beat() const { return absl::FromUnixNanos(last_beat_nanos_.load()); }

 private:
  struct Pass {
    absl::Span<QueuedJob> jobs;
    DispatchReason reason;
    absl::Time taken;
  };

  void Loop();
  void Beat();
  void DropDead(Batch& batch);
  void Run(const Pass& pass);
  void Explain(const Pass& pass);
  void Answer(const Pass& pass, absl::Span<const float> logits, BatchReport report,
              JobResult common);

  Dispatcher& dispatcher_;
  const std::unique_ptr<runtime::Predictor> predictor_;
  const base::Clock& clock_;
  Observer& observer_;
  BatchInput input_;  // of the pass that runs; keeps its memory
  std::atomic<int64_t> last_beat_nanos_;
  std::jthread thread_;  // last: everything it uses is there before it starts and after it ends
};

}  // namespace hydra::batching
