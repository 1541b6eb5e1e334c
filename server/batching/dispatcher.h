// Where RPC threads and lanes meet: one lock around the queue, the former and the cost model.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "model/base/clock.h"
#include "model/base/mutex.h"
#include "server/batching/batch.h"
#include "server/batching/batch_former.h"
#include "server/batching/cost_model.h"
#include "server/batching/job_queue.h"
#include "server/batching/observer.h"

namespace hydra::batching {

struct DispatcherOptions {
  QueueBounds bounds;
  runtime::PredictorShape shape;
  size_t lanes = 1;
};

// Thread-safe.  Jobs are answered and the observer is called outside the lock.
class Dispatcher {
 public:
  // `clock` and `observer` outlive the dispatcher.
  Dispatcher(DispatcherOptions options, BatchFormer former, CostModel cost,
             const base::Clock& clock, Observer& observer);

  // As Batcher::Submit.
  absl::Status Submit(Job job);

  // Blocks until a batch is due, for a second at most: then the batch has no jobs and the lane can
  // show that it lives.  Unset after Stop.  Each batch with jobs is followed by one Finish.
  std::optional<Batch> NextBatch();

  // `work` as taken by NextBatch.
  void Finish(const Work& work);
  void ObserveCost(CostModel::Sample sample);

  // As in Batcher.
  void Hasten();
  bool Drain(absl::Time deadline);
  void Stop();

  QueueDepth depth() const;
  absl::Duration OldestWait() const;
  size_t in_flight_rows() const;
  const BatchFormer& former() const { return former_; }

 private:
  absl::Status CheckShape(const Job& job) const;
  absl::Status Admit(const Job& job, absl::Time now, std::vector<QueuedJob>& dead)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckDeadline(const Job& job, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Duration EstimateWait() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Batch TakeBatch(const Decision& decision, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AnswerDead(std::vector<QueuedJob> dead, absl::Time now);

  const DispatcherOptions options_;
  const BatchFormer former_;
  const base::Clock& clock_;
  Observer& observer_;

  mutable base::Mutex mutex_;
  base::CondVar work_;     // a job came, or draining or stopping began
  base::CondVar drained_;  // a batch ended
  JobQueue queue_ ABSL_GUARDED_BY(mutex_);
  CostModel cost_ ABSL_GUARDED_BY(mutex_);
  Arrivals arrivals_ ABSL_GUARDED_BY(mutex_) = Arrivals::kOpen;
  bool refusing_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  size_t busy_lanes_ ABSL_GUARDED_BY(mutex_) = 0;
  Work in_flight_ ABSL_GUARDED_BY(mutex_);
  size_t refused_too_short_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace hydra::batching
