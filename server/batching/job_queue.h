// The bounded waiting room: first in, first out, in requests, rows and bytes.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/batching/job.h"

namespace hydra::batching {

struct QueueBounds {
  size_t max_requests = 1024;
  size_t max_rows = 4096;
  size_t max_bytes = size_t{256} << 20;  // of the jobs' rows; a token has 8 bytes
};

struct QueueDepth {
  size_t requests = 0;
  size_t rows = 0;
  size_t tokens = 0;  // of texts
  size_t bytes = 0;
};

struct QueuedJob {
  Job job;
  absl::Time enqueued;
};

// OK while `job` is worth running at `now`.  Errors: CANCELLED reason CANCELLED; DEADLINE_EXCEEDED
// reason DEADLINE_EXPIRED.
absl::Status CheckAlive(const Job& job, absl::Time now);

// Not thread-safe; Dispatcher guards it.
class JobQueue {
 public:
  explicit JobQueue(QueueBounds bounds) : bounds_(bounds) {}

  // Errors: RESOURCE_EXHAUSTED reason QUEUE_FULL, naming the bound that was hit.
  absl::Status CheckRoom(const Job& job) const;

  void Push(Job job, absl::Time now);
  QueuedJob PopFront();  // not of an empty queue

  // Takes out every job that is no longer alive.
  std::vector<QueuedJob> TakeDead(absl::Time now);

  std::vector<QueuedJob> TakeAll();

  bool empty() const { return jobs_.empty(); }
  const std::deque<QueuedJob>& jobs() const { return jobs_; }
  QueueDepth depth() const { return depth_; }
  // Zero when empty.
  absl::Duration OldestWait(absl::Time now) const;

 private:
  void Uncount(const Job& job);

  QueueBounds bounds_;
  QueueDepth depth_;
  std::deque<QueuedJob> jobs_;
};

}  // namespace hydra::batching
