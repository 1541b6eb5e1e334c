// The unit of work that RPC threads hand to the lanes, and its answer.  Protobuf-free, torch-free.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "model/runtime/rows.h"

namespace hydra::batching {

// Why a batch left the queue when it did.
enum class DispatchReason {
  kFull,      // max_batch_rows were waiting
  kDelay,     // the oldest job had waited max_queue_delay
  kDeadline,  // waiting longer would have missed a job's deadline
  kAlone,     // the job asked for no companions
  kDrain,     // no more jobs will come
};
const char* ToString(DispatchReason reason);  // "full", "delay", ...

// Set by the RPC thread when its caller goes away, read by the lanes.
class CancelFlag {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_ = false;
};

struct JobTimings {
  absl::Duration queue;    // submitted until taken into a batch
  absl::Duration batch;    // taken until the batch is assembled
  absl::Duration compute;  // the forward pass of the whole batch
};

struct JobResult {
  std::vector<float> member_logits;  // [M, row_count, C] row-major, finite, before the temperature
  std::vector<runtime::HeadAttention> attention;  // of Job::explain, instead of the logits
  JobTimings timings;
  size_t batch_rows = 0;  // real rows that shared the forward pass
  size_t padded_rows =
      0;                  // images: rows of the rung that was run, >= batch_rows; texts: batch_rows
  size_t batch_jobs = 0;  // jobs that shared the forward pass
  DispatchReason dispatch_reason = DispatchReason::kFull;
};

// Whether other jobs may share the forward pass.  kNone gives one canonical shape: a job run alone
// is padded to the same rung whatever the traffic.
enum class Companions { kAny, kNone };

struct Job {
  runtime::Rows rows;    // row_count images, finite, or texts; already validated
  size_t row_count = 0;  // 1 .. max_batch_rows
  absl::Time deadline = absl::InfiniteFuture();  // of Clock::MonotonicNow
  Companions companions = Companions::kAny;
  std::vector<runtime::HeadQuery> explain;   // heads to look at; the job then has one row and kNone
  std::shared_ptr<const CancelFlag> cancel;  // co-owned with the RPC that may set it
  // Called exactly once for a job that Submit accepted, on a lane's thread (or on the thread that
  // calls Stop); must be quick, must not throw, and must not call Stop or Drain.
  std::function<void(absl::StatusOr<JobResult>)> done;
};

// How much there is to compute.
struct Work {
  size_t rows = 0;
  size_t tokens = 0;  // of texts; 0 for images

  Work& operator+=(const Work& other);
  Work& operator-=(const Work& other);
  bool operator==(const Work&) const = default;
};

Work WorkOf(const Job& job);

}  // namespace hydra::batching
