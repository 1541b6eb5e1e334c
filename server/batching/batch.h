// Jobs that share one forward pass: rows in, member logits out.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "model/runtime/predictor.h"
#include "server/batching/job_queue.h"

namespace hydra::batching {

struct Batch {
  std::vector<QueuedJob> jobs;
  DispatchReason reason = DispatchReason::kFull;
  absl::Time taken;  // when the jobs left the queue
};

size_t CountRows(absl::Span<const QueuedJob> jobs);

// Copies the jobs' rows one after the other into `buffer`, [padded_rows, row_values], and zeroes
// the padding.  buffer.size() = padded_rows * row_values >= the jobs' values.
void GatherRows(absl::Span<const QueuedJob> jobs, absl::Span<float> buffer);

// Cuts the rows [first_row, first_row + row_count) of `logits` [M, padded_rows, C] out into
// [M, row_count, C].  Errors: INTERNAL reason NON_FINITE_OUTPUT when one of them is NaN or
// infinite.
absl::StatusOr<std::vector<float>> ExtractRows(absl::Span<const float> logits,
                                               const runtime::PredictorShape& shape,
                                               size_t first_row, size_t row_count);

}  // namespace hydra::batching
