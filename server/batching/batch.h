// Jobs that run together: rows in, member logits out.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "model/runtime/predictor.h"
#include "model/runtime/rows.h"
#include "server/batching/job_queue.h"

namespace hydra::batching {

struct Batch {
  std::vector<QueuedJob> jobs;
  DispatchReason reason = DispatchReason::kFull;
  absl::Time taken;  // when the jobs left the queue
};

Work WorkOf(absl::Span<const QueuedJob> jobs);

// What a lane runs.
struct BatchInput {
  runtime::Rows rows;
  size_t padded_rows = 0;  // of `rows`
};

// Copies the jobs' rows one after the other into `input`, and behind images rows of zeros up to
// padded_rows >= the jobs' rows.  Texts are never padded: they are packed token by token, so a fake
// row would cost tokens and spare nothing.
void GatherRows(absl::Span<const QueuedJob> jobs, size_t padded_rows, size_t row_values,
                BatchInput& input);

// Member logits [M, padded_rows, C].  Images run in one pass.  Texts, each of at most max_tokens,
// run in as many passes as it takes to give none more than max_tokens; only a job that alone is
// over that budget needs a second.  Errors: INTERNAL an output of the wrong size, or as Predictor.
absl::StatusOr<std::vector<float>> RunBatch(const BatchInput& input, size_t max_tokens,
                                            runtime::Predictor& predictor);

// Cuts the rows [first_row, first_row + row_count) of `logits` [M, padded_rows, C] out into
// [M, row_count, C].  Errors: INTERNAL reason NON_FINITE_OUTPUT when one of them is NaN or
// infinite.
absl::StatusOr<std::vector<float>> ExtractRows(absl::Span<const float> logits,
                                               const runtime::PredictorShape& shape,
                                               size_t first_row, size_t row_count);

}  // namespace hydra::batching
