// From a finished job to answers with decisions: the same for every protocol face.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/answer.h"
#include "model/uncertainty/decision.h"
#include "server/batching/job.h"
#include "server/policy/keeper.h"
#include "server/policy/reservoir.h"

namespace hydra::rpc {

struct AnsweredRow {
  uncertainty::Answer answer;
  uncertainty::Decision decision;
  std::vector<std::vector<size_t>> conformal_sets;  // one per quantile of the bundle
  size_t truncated_tokens = 0;                      // of the input
};

// `truncated_tokens`: [job's row_count], of its inputs.  Row i depends on row i of the job only.
// Thread-safe. Errors: INTERNAL the logits do not fit the bundle, or the bundle's calibration is
// not usable.
absl::StatusOr<std::vector<AnsweredRow>> AnswerJob(const batching::JobResult& result,
                                                   absl::Span<const size_t> truncated_tokens,
                                                   const policy::Snapshot& snapshot);

// What the reservoir keeps of an answer.
policy::LiveSample SampleOf(const AnsweredRow& row);

}  // namespace hydra::rpc
