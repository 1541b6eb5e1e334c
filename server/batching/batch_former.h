// Decides which jobs at the head of the queue make the next batch, and when.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/batching/cost_model.h"
#include "server/batching/job_queue.h"

namespace hydra::batching {

struct FormerOptions {
  size_t max_batch_rows = 32;
  absl::Duration max_queue_delay = absl::ZeroDuration();  // 0: a free lane takes what is there
  std::vector<size_t> ladder = {1, 2, 4, 8, 16, 32};      // batches of images, ascending
  size_t max_tokens = 8192;  // texts: of one forward pass, and of the jobs that share a batch
};

// Either a batch (jobs > 0) or the time to ask again.
struct Decision {
  size_t jobs = 0;  // from the head of the queue
  Work work;
  size_t padded_rows = 0;
  DispatchReason reason = DispatchReason::kFull;
  absl::Time wake = absl::InfiniteFuture();
};

enum class Arrivals { kOpen, kClosed };  // kClosed: draining, waiting for companions is pointless

// A pure function of the queue and the time, so it is tested without threads.
class BatchFormer {
 public:
  // Errors: INVALID_ARGUMENT max_batch_rows or max_tokens is 0; the ladder is empty, not ascending,
  // starts at 0 or does not end with max_batch_rows; the delay is negative.
  static absl::StatusOr<BatchFormer> Create(FormerOptions options);

  // Takes whole jobs in order while they fit in max_batch_rows and max_tokens; the first is taken
  // in any case.  The batch is due when it is full,
  // when its oldest job has waited max_queue_delay, when waiting longer would miss a deadline by
  // the cost model, or when nothing more can come.
  Decision Decide(const JobQueue& queue, const CostModel& cost, Arrivals arrivals,
                  absl::Time now) const;

  // Rows that are run, padding included: for images the smallest rung that holds them,
  // 1 <= rows <= max_batch_rows; texts have no padding.
  size_t PaddedRows(const Work& work) const;

  // `work` as the cost model counts it, and a full batch whose rows are like those of `work`.
  size_t CostUnits(const Work& work) const;
  size_t FullBatchUnits(const Work& work) const;

  const FormerOptions& options() const { return options_; }

 private:
  explicit BatchFormer(FormerOptions options) : options_(std::move(options)) {}

  FormerOptions options_;
};

}  // namespace hydra::batching
