#include "server/batching/batch_former.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/check.h"

namespace hydra::batching {
namespace {

// What a batch needs beside its forward pass: a timer's wake-up and gathering the rows.
constexpr absl::Duration kDispatchMargin = absl::Microseconds(500);

bool IsAscending(const std::vector<size_t>& ladder) {
  return std::adjacent_find(ladder.begin(), ladder.end(), std::greater_equal<>()) == ladder.end();
}

// Takes jobs from the head; true when the next one cannot join, so that waiting is pointless.
bool TakeJobs(const JobQueue& queue, const FormerOptions& options, Decision& decision,
              absl::Time& deadline) {
  for (const QueuedJob& queued : queue.jobs()) {
    Work with = decision.work;
    with += WorkOf(queued.job);
    const bool joins = with.rows <= options.max_batch_rows && with.tokens <= options.max_tokens &&
                       queued.job.companions == Companions::kAny;
    if (decision.jobs > 0 && !joins) return true;
    decision.jobs += 1;
    decision.work = with;
    deadline = std::min(deadline, queued.job.deadline);
    if (queued.job.companions == Companions::kNone) return true;
  }
  return decision.work.rows == options.max_batch_rows || decision.work.tokens >= options.max_tokens;
}

}  // namespace

absl::StatusOr<BatchFormer> BatchFormer::Create(FormerOptions options) {
  if (options.max_batch_rows == 0) {
    return absl::InvalidArgumentError("max_batch_rows: got 0, want at least 1");
  }
  if (options.max_tokens == 0) {
    return absl::InvalidArgumentError("max_tokens: got 0, want at least 1");
  }
  if (options.ladder.empty() || options.ladder.front() == 0 || !IsAscending(options.ladder) ||
      options.ladder.back() != options.max_batch_rows) {
    return absl::InvalidArgumentError(absl::StrCat("ladder: got [",
                                                   absl::StrJoin(options.ladder, ", "),
                                                   "], want ascending sizes from 1 that end with ",
                                                   "max_batch_rows = ", options.max_batch_rows));
  }
  if (options.max_queue_delay < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(absl::StrCat("max_queue_delay: got ",
                                                   absl::FormatDuration(options.max_queue_delay),
                                                   ", want at least 0"));
  }
  return BatchFormer(std::move(options));
}

Decision BatchFormer::Decide(const JobQueue& queue, const CostModel& cost, Arrivals arrivals,
                             absl::Time now) const {
  Decision decision;
  if (queue.empty()) return decision;
  absl::Time deadline = absl::InfiniteFuture();
  const bool full = TakeJobs(queue, options_, decision, deadline);
  decision.padded_rows = PaddedRows(decision.work);

  const QueuedJob& oldest = queue.jobs().front();
  const absl::Time delay_ends = oldest.enqueued + options_.max_queue_delay;
  const absl::Time latest_start =
      deadline - cost.Estimate(CostUnits(decision.work)) - kDispatchMargin;
  if (oldest.job.companions == Companions::kNone) {
    decision.reason = DispatchReason::kAlone;
  } else if (full) {
    decision.reason = DispatchReason::kFull;
  } else if (arrivals == Arrivals::kClosed) {
    decision.reason = DispatchReason::kDrain;
  } else if (delay_ends <= now) {
    decision.reason = DispatchReason::kDelay;
  } else if (latest_start <= now) {
    decision.reason = DispatchReason::kDeadline;
  } else {
    return {.wake = std::min(delay_ends, latest_start)};
  }
  return decision;
}

size_t BatchFormer::PaddedRows(const Work& work) const {
  if (work.tokens > 0) return work.rows;
  const auto rung = std::lower_bound(options_.ladder.begin(), options_.ladder.end(), work.rows);
  HYDRA_CHECK(work.rows > 0 && rung != options_.ladder.end());
  return *rung;
}

size_t BatchFormer::CostUnits(const Work& work) const {
  return work.tokens > 0 ? work.tokens : PaddedRows(work);
}

size_t BatchFormer::FullBatchUnits(const Work& work) const {
  if (work.tokens == 0) return options_.max_batch_rows;
  const size_t tokens = (work.tokens * options_.max_batch_rows + work.rows - 1) / work.rows;
  return std::min(tokens, options_.max_tokens);
}

}  // namespace hydra::batching
