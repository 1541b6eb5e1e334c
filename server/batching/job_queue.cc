#include "server/batching/job_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/check.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"

namespace hydra::batching {
namespace {

absl::Status CheckBound(absl::string_view unit, size_t waiting, size_t more, size_t bound) {
  if (more <= bound && waiting <= bound - more) return absl::OkStatus();
  return base::WithReason(absl::ResourceExhaustedError(absl::StrCat(
                              "queue: got ", waiting + more, " ", unit, ", want at most ", bound)),
                          "QUEUE_FULL");
}

}  // namespace

absl::Status CheckAlive(const Job& job, absl::Time now) {
  if (job.cancel != nullptr && job.cancel->cancelled()) {
    return base::WithReason(absl::CancelledError("the caller cancelled the request"), "CANCELLED");
  }
  if (job.deadline <= now) {
    return base::WithReason(
        absl::DeadlineExceededError(
            absl::StrCat("the deadline passed ", absl::FormatDuration(now - job.deadline), " ago")),
        "DEADLINE_EXPIRED");
  }
  return absl::OkStatus();
}

absl::Status JobQueue::CheckRoom(const Job& job) const {
  HYDRA_RETURN_IF_ERROR(CheckBound("requests", depth_.requests, 1, bounds_.max_requests));
  HYDRA_RETURN_IF_ERROR(CheckBound("rows", depth_.rows, job.row_count, bounds_.max_rows));
  return CheckBound("bytes", depth_.bytes, runtime::Bytes(job.rows), bounds_.max_bytes);
}

void JobQueue::Push(Job job, absl::Time now) {
  depth_.requests += 1;
  depth_.rows += job.row_count;
  depth_.tokens += job.rows.token_ids.size();
  depth_.bytes += runtime::Bytes(job.rows);
  jobs_.push_back({.job = std::move(job), .enqueued = now});
}

QueuedJob JobQueue::PopFront() {
  HYDRA_CHECK(!jobs_.empty());
  QueuedJob front = std::move(jobs_.front());
  jobs_.pop_front();
  Uncount(front.job);
  return front;
}

std::vector<QueuedJob> JobQueue::TakeDead(absl::Time now) {
  const auto first_dead = std::stable_partition(
      jobs_.begin(), jobs_.end(),
      [now](const QueuedJob& queued) { return CheckAlive(queued.job, now).ok(); });
  std::vector<QueuedJob> dead(std::make_move_iterator(first_dead),
                              std::make_move_iterator(jobs_.end()));
  jobs_.erase(first_dead, jobs_.end());
  for (const QueuedJob& queued : dead) Uncount(queued.job);
  return dead;
}

std::vector<QueuedJob> JobQueue::TakeAll() {
  std::vector<QueuedJob> all(std::make_move_iterator(jobs_.begin()),
                             std::make_move_iterator(jobs_.end()));
  jobs_.clear();
  depth_ = {};
  return all;
}

absl::Duration JobQueue::OldestWait(absl::Time now) const {
  return jobs_.empty() ? absl::ZeroDuration() : now - jobs_.front().enqueued;
}

void JobQueue::Uncount(const Job& job) {
  depth_.requests -= 1;
  depth_.rows -= job.row_count;
  depth_.tokens -= job.rows.token_ids.size();
  depth_.bytes -= runtime::Bytes(job.rows);
}

}  // namespace hydra::batching
