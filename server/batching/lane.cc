#include "server/batching/lane.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"

namespace hydra::batching {

Lane::Lane(Dispatcher& dispatcher, std::unique_ptr<runtime::Predictor> predictor,
           const base::Clock& clock, Observer& observer)
    : dispatcher_(dispatcher),
      predictor_(std::move(predictor)),
      clock_(clock),
      observer_(observer),
      last_beat_nanos_(absl::ToUnixNanos(clock.MonotonicNow())),
      thread_([this] { Loop(); }) {}

void Lane::Loop() {
  while (std::optional<Batch> batch = dispatcher_.NextBatch()) {
    Beat();
    if (batch->jobs.empty()) continue;
    const Work taken = WorkOf(batch->jobs);
    DropDead(*batch);
    const Pass pass{
        .jobs = absl::MakeSpan(batch->jobs), .reason = batch->reason, .taken = batch->taken};
    if (!pass.jobs.empty() && !pass.jobs.front().job.explain.empty()) {
      Explain(pass);
    } else if (!pass.jobs.empty()) {
      Run(pass);
    }
    dispatcher_.Finish(taken);
    Beat();
  }
}

void Lane::Join() {
  if (thread_.joinable()) thread_.join();
}

void Lane::Beat() { last_beat_nanos_.store(absl::ToUnixNanos(clock_.MonotonicNow())); }

void Lane::DropDead(Batch& batch) {
  const absl::Time now = clock_.MonotonicNow();
  std::erase_if(batch.jobs, [&](QueuedJob& queued) {
    absl::Status status = CheckAlive(queued.job, now);
    if (status.ok()) return false;
    observer_.OnDropped(Stage::kLaunch, status);
    queued.job.done(std::move(status));
    return true;
  });
}

void Lane::Run(const Pass& pass) {
  const BatchFormer& former = dispatcher_.former();
  const Work work = WorkOf(pass.jobs);
  const size_t padded_rows = former.PaddedRows(work);
  GatherRows(pass.jobs, padded_rows, predictor_->shape().row_values, input_);

  const absl::Time start = clock_.MonotonicNow();
  const absl::StatusOr<std::vector<float>> logits =
      RunBatch(input_, former.options().max_tokens, *predictor_);
  const absl::Duration compute = clock_.MonotonicNow() - start;

  BatchReport report{.jobs = pass.jobs.size(),
                     .rows = work.rows,
                     .padded_rows = padded_rows,
                     .tokens = work.tokens,
                     .reason = pass.reason,
                     .compute = compute,
                     .status = logits.status()};
  if (absl::IsResourceExhausted(logits.status()) && pass.jobs.size() > 1) {
    observer_.OnBatch(report);
    const size_t half = pass.jobs.size() / 2;
    Run({pass.jobs.subspan(0, half), pass.reason, pass.taken});
    Run({pass.jobs.subspan(half), pass.reason, pass.taken});
    return;
  }
  const JobResult common{.timings = {.batch = start - pass.taken, .compute = compute},
                         .batch_rows = work.rows,
                         .padded_rows = padded_rows,
                         .batch_jobs = pass.jobs.size(),
                         .dispatch_reason = pass.reason};
  if (logits.ok()) dispatcher_.ObserveCost({.units = former.CostUnits(work), .duration = compute});
  Answer(pass, logits.ok() ? *logits : std::vector<float>(), std::move(report), common);
}

// The pass is not like those that the cost model knows, so it teaches it nothing.
void Lane::Explain(const Pass& pass) {
  QueuedJob& queued = pass.jobs.front();
  const absl::Time start = clock_.MonotonicNow();
  auto attention = predictor_->Explain(queued.job.rows, queued.job.explain);
  const absl::Duration compute = clock_.MonotonicNow() - start;
  const absl::Duration queue = pass.taken - queued.enqueued;
  const Work work = WorkOf(queued.job);
  const BatchReport report{.jobs = 1,
                           .rows = work.rows,
                           .padded_rows = work.rows,
                           .tokens = work.tokens,
                           .reason = pass.reason,
                           .queue_waits = {queue},
                           .compute = compute,
                           .status = attention.status()};
  if (attention.ok()) {
    queued.job.done(
        JobResult{.attention = *std::move(attention),
                  .timings = {.queue = queue, .batch = start - pass.taken, .compute = compute},
                  .batch_rows = work.rows,
                  .padded_rows = work.rows,
                  .batch_jobs = 1,
                  .dispatch_reason = pass.reason});
  } else {
    queued.job.done(attention.status());
  }
  observer_.OnBatch(report);
}

void Lane::Answer(const Pass& pass, absl::Span<const float> logits, BatchReport report,
                  JobResult common) {
  size_t first_row = 0;
  for (QueuedJob& queued : pass.jobs) {
    JobResult result = common;
    result.timings.queue = pass.taken - queued.enqueued;
    report.queue_waits.push_back(result.timings.queue);
    absl::Status status = report.status;
    if (status.ok()) {
      auto rows = ExtractRows(logits, predictor_->shape(), first_row, queued.job.row_count);
      status = rows.status();
      if (rows.ok()) result.member_logits = *std::move(rows);
      report.failed_jobs += !status.ok();
    }
    first_row += queued.job.row_count;
    if (status.ok()) {
      queued.job.done(std::move(result));
    } else {
      queued.job.done(std::move(status));
    }
  }
  observer_.OnBatch(report);
}

}  // namespace hydra::batching
