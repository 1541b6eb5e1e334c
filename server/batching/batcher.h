// Runs jobs in batches on lanes: the server's only way to the model.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "model/base/clock.h"
#include "model/runtime/predictor.h"
#include "server/batching/batch_former.h"
#include "server/batching/cost_model.h"
#include "server/batching/job.h"
#include "server/batching/job_queue.h"
#include "server/batching/observer.h"

namespace hydra::batching {

class Dispatcher;
class Lane;

struct BatcherOptions {
  FormerOptions former;
  QueueBounds queue;
};

struct LaneHealth {
  absl::Time last_beat;  // an idle lane beats every second, a busy one between batches
};

// Row i of an answer depends on row i of its job only.  Thread-safe.
class Batcher {
 public:
  // One lane, with a thread of its own, per predictor; all predictors have the same shape.  `clock`
  // and `observer` outlive the batcher.  Errors: INVALID_ARGUMENT bad options, no predictor, or
  // predictors of different shapes.
  static absl::StatusOr<std::unique_ptr<Batcher>> Create(
      BatcherOptions options, std::vector<std::unique_ptr<runtime::Predictor>> predictors,
      CostModel cost, const base::Clock& clock, Observer& observer);

  ~Batcher();  // Stop()

  // Never blocks on the model.  When it returns OK, `job.done` is called exactly once; otherwise
  // never.  Errors, each with a reason (model/base/status_detail.h):
  //   INVALID_ARGUMENT   JOB_SHAPE: the rows do not fit the model or the limits
  //   CANCELLED, DEADLINE_EXCEEDED  the job is dead on arrival, or its forward pass alone takes
  //                      longer than the time that is left (DEADLINE_TOO_SHORT)
  //   RESOURCE_EXHAUSTED QUEUE_FULL, or DEADLINE_UNREACHABLE behind the jobs that wait; both with a
  //                      retry delay
  //   UNAVAILABLE        DRAINING
  // `done` gets the same codes when a job dies later; INTERNAL NON_FINITE_OUTPUT when the model
  // gave NaN or infinity for a row of this job; and the status of a failed forward pass.
  absl::Status Submit(Job job);

  // Few or no jobs will come any more: batches stop waiting for companions.  Jobs are still taken.
  void Hasten();

  // Refuses new jobs and runs the waiting ones without delay.  True when all were answered by
  // `deadline` (of the clock's MonotonicNow).
  bool Drain(absl::Time deadline);

  // Answers what still waits with UNAVAILABLE and joins the lanes after their current batch.
  // Idempotent; also ends a Drain that waits on another thread.  Not for a lane's thread.
  void Stop();

  const runtime::PredictorShape& shape() const;
  QueueDepth depth() const;
  absl::Duration OldestWait() const;
  size_t in_flight_rows() const;
  std::vector<LaneHealth> lanes() const;

 private:
  Batcher(std::unique_ptr<Dispatcher> dispatcher, std::vector<std::unique_ptr<Lane>> lanes,
          runtime::PredictorShape shape);

  std::unique_ptr<Dispatcher> dispatcher_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  runtime::PredictorShape shape_;
  std::once_flag joined_;
};

}  // namespace hydra::batching
