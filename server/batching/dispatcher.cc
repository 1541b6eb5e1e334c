#include "server/batching/dispatcher.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/check.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"

namespace hydra::batching {
namespace {

constexpr absl::Duration kBeat = absl::Seconds(1);
constexpr absl::Duration kDrainRetryDelay = absl::Seconds(1);  // by then a client has moved on
constexpr absl::Duration kShortestRetryDelay = absl::Milliseconds(5);

// Only a pass can teach the cost model that the machine got faster.  If every caller's deadline is
// below the estimate none would run, so one in this many does, while a lane is free.
constexpr size_t kProbeEvery = 128;

absl::Status DrainingError() {
  return base::WithRetryDelay(
      base::WithReason(absl::UnavailableError("the server is draining"), "DRAINING"),
      kDrainRetryDelay);
}

}  // namespace

Dispatcher::Dispatcher(DispatcherOptions options, BatchFormer former, CostModel cost,
                       const base::Clock& clock, Observer& observer)
    : options_(options),
      former_(std::move(former)),
      clock_(clock),
      observer_(observer),
      queue_(options.bounds),
      cost_(cost) {}

absl::Status Dispatcher::Submit(Job job) {
  HYDRA_CHECK(job.done != nullptr);
  const absl::Time now = clock_.MonotonicNow();
  std::vector<QueuedJob> dead;
  absl::Status status = CheckShape(job);
  if (status.ok()) status = CheckAlive(job, now);
  if (status.ok()) {
    base::MutexLock lock(mutex_);
    status = Admit(job, now, dead);
    if (status.ok()) queue_.Push(std::move(job), now);
  }
  if (status.ok()) {
    work_.NotifyOne();
  } else {
    observer_.OnDropped(Stage::kAdmission, status);
  }
  AnswerDead(std::move(dead), now);
  return status;
}

absl::Status Dispatcher::CheckShape(const Job& job) const {
  const FormerOptions& limits = former_.options();
  const auto longest = std::max_element(job.rows.lengths.begin(), job.rows.lengths.end());
  absl::Status status;
  if (job.row_count < 1 || job.row_count > limits.max_batch_rows) {
    status = absl::InvalidArgumentError(
        absl::StrCat("job: got ", job.row_count, " rows, want 1..", limits.max_batch_rows));
  } else if (longest != job.rows.lengths.end() && *longest > limits.max_tokens) {
    status = absl::InvalidArgumentError(
        absl::StrCat("job: got a text of ", *longest, " tokens, want 1..", limits.max_tokens));
  } else if (!job.explain.empty() && (job.row_count != 1 || job.companions != Companions::kNone)) {
    status = absl::InvalidArgumentError(
        absl::StrCat("job: got ", job.row_count, " rows to explain, want 1 without companions"));
  } else {
    status = runtime::CheckRows(job.rows, job.row_count, options_.shape);
  }
  return status.ok() ? status : base::WithReason(std::move(status), "JOB_SHAPE");
}

absl::Status Dispatcher::Admit(const Job& job, absl::Time now, std::vector<QueuedJob>& dead) {
  if (refusing_) return DrainingError();
  absl::Status room = queue_.CheckRoom(job);
  if (!room.ok()) {
    dead = queue_.TakeDead(now);
    room = queue_.CheckRoom(job);
  }
  if (!room.ok()) {
    return base::WithRetryDelay(std::move(room), std::max(EstimateWait(), kShortestRetryDelay));
  }
  return CheckDeadline(job, now);
}

absl::Status Dispatcher::CheckDeadline(const Job& job, absl::Time now) {
  const absl::Duration left = job.deadline - now;
  const absl::Duration compute = cost_.Estimate(former_.CostUnits(WorkOf(job)));
  const bool lane_free = busy_lanes_ < options_.lanes && queue_.empty();
  if (compute > left) {
    if (lane_free && ++refused_too_short_ % kProbeEvery == 0) return absl::OkStatus();
    return base::WithReason(
        absl::DeadlineExceededError(
            absl::StrCat("deadline: got ", absl::FormatDuration(left), " left, want at least ",
                         absl::FormatDuration(compute), " to compute ", job.row_count, " rows")),
        "DEADLINE_TOO_SHORT");
  }
  const absl::Duration wait = EstimateWait();
  if (wait + compute <= left) return absl::OkStatus();
  return base::WithRetryDelay(
      base::WithReason(absl::ResourceExhaustedError(absl::StrCat(
                           "deadline: got ", absl::FormatDuration(left), " left, want at least ",
                           absl::FormatDuration(wait), " of waiting and ",
                           absl::FormatDuration(compute), " of computing")),
                       "DEADLINE_UNREACHABLE"),
      std::max(wait, kShortestRetryDelay));
}

// Whole batches ahead plus, when every lane is busy, half of a batch until the first one is free.
absl::Duration Dispatcher::EstimateWait() const {
  const QueueDepth depth = queue_.depth();
  const Work waiting{.rows = depth.rows, .tokens = depth.tokens};
  Work seen = in_flight_;
  seen += waiting;
  const size_t full = former_.FullBatchUnits(seen);
  const size_t units = options_.shape.takes_texts() ? waiting.tokens : waiting.rows;
  double batches = static_cast<double>(units / full);
  if (busy_lanes_ >= options_.lanes) batches += 0.5;
  return cost_.Estimate(full) * batches / static_cast<double>(options_.lanes);
}

std::optional<Batch> Dispatcher::NextBatch() {
  const absl::Time beat = clock_.MonotonicNow() + kBeat;
  std::optional<Batch> batch;
  std::vector<QueuedJob> dead;
  absl::Time now;
  {
    base::MutexLock lock(mutex_);
    while (!stopped_ && !batch.has_value()) {
      now = clock_.MonotonicNow();
      dead = queue_.TakeDead(now);
      const Decision decision = former_.Decide(queue_, cost_, arrivals_, now);
      if (decision.jobs > 0 || !dead.empty() || now >= beat) {
        batch = TakeBatch(decision, now);
      } else {
        work_.WaitFor(mutex_, std::min(decision.wake, beat) - now);
      }
    }
    if (queue_.empty() && busy_lanes_ == 0) drained_.NotifyAll();
    if (!queue_.empty()) work_.NotifyOne();
  }
  AnswerDead(std::move(dead), now);
  return batch;
}

Batch Dispatcher::TakeBatch(const Decision& decision, absl::Time now) {
  Batch batch{.reason = decision.reason, .taken = now};
  batch.jobs.reserve(decision.jobs);
  for (size_t i = 0; i < decision.jobs; ++i) batch.jobs.push_back(queue_.PopFront());
  if (decision.jobs > 0) {
    busy_lanes_ += 1;
    in_flight_ += decision.work;
  }
  return batch;
}

void Dispatcher::Finish(const Work& work) {
  base::MutexLock lock(mutex_);
  busy_lanes_ -= 1;
  in_flight_ -= work;
  drained_.NotifyAll();
}

void Dispatcher::ObserveCost(CostModel::Sample sample) {
  base::MutexLock lock(mutex_);
  cost_.Observe(sample);
}

void Dispatcher::Hasten() {
  base::MutexLock lock(mutex_);
  arrivals_ = Arrivals::kClosed;
  work_.NotifyAll();
}

bool Dispatcher::Drain(absl::Time deadline) {
  base::MutexLock lock(mutex_);
  arrivals_ = Arrivals::kClosed;
  refusing_ = true;
  work_.NotifyAll();
  while (!stopped_ && (!queue_.empty() || busy_lanes_ > 0)) {
    const absl::Duration left = deadline - clock_.MonotonicNow();
    if (left <= absl::ZeroDuration()) return false;
    drained_.WaitFor(mutex_, left);
  }
  return queue_.empty() && busy_lanes_ == 0;
}

void Dispatcher::Stop() {
  std::vector<QueuedJob> waiting;
  {
    base::MutexLock lock(mutex_);
    refusing_ = true;
    stopped_ = true;
    waiting = queue_.TakeAll();
    work_.NotifyAll();
    drained_.NotifyAll();
  }
  for (QueuedJob& queued : waiting) {
    observer_.OnDropped(Stage::kStop, DrainingError());
    queued.job.done(DrainingError());
  }
}

void Dispatcher::AnswerDead(std::vector<QueuedJob> dead, absl::Time now) {
  for (QueuedJob& queued : dead) {
    // The cancel flag never clears and time does not go back, so the job is still dead.
    absl::Status status = CheckAlive(queued.job, now);
    observer_.OnDropped(Stage::kFormation, status);
    queued.job.done(std::move(status));
  }
}

QueueDepth Dispatcher::depth() const {
  base::MutexLock lock(mutex_);
  return queue_.depth();
}

absl::Duration Dispatcher::OldestWait() const {
  base::MutexLock lock(mutex_);
  return queue_.OldestWait(clock_.MonotonicNow());
}

size_t Dispatcher::in_flight_rows() const {
  base::MutexLock lock(mutex_);
  return in_flight_.rows;
}

}  // namespace hydra::batching
