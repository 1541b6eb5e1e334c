// What the batching layer tells its metrics.  Implementations are thread-safe and quick: they are
// called on RPC and lane threads.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/batching/job.h"

namespace hydra::batching {

// Where a job ended without having been run.
enum class Stage { kAdmission, kFormation, kLaunch, kStop };
const char* ToString(Stage stage);  // "admission", "formation", "launch", "stop"

struct BatchReport {
  size_t jobs = 0;
  size_t rows = 0;
  size_t padded_rows = 0;
  size_t tokens = 0;  // of texts
  DispatchReason reason = DispatchReason::kFull;
  std::vector<absl::Duration> queue_waits;  // of the jobs that are answered
  absl::Duration compute;
  absl::Status status;     // of the forward pass
  size_t failed_jobs = 0;  // of an OK pass: answered NON_FINITE_OUTPUT
};

class Observer {
 public:
  virtual ~Observer() = default;

  // A job was refused, expired or was cancelled; `status` carries the code and the reason
  // (model/base/status_detail.h).
  virtual void OnDropped(Stage stage, const absl::Status& status) = 0;

  // One forward pass; one that ran out of memory is followed by those of its halves.
  virtual void OnBatch(const BatchReport& report) = 0;
};

}  // namespace hydra::batching
