#include "server/rpc/control/head_explainer.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "model/base/mutex.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "server/rpc/control/explain_conversion.h"

namespace hydra::rpc {
namespace {

constexpr absl::Duration kLongestCall = absl::Minutes(1);
constexpr absl::Duration kBusyRetryDelay = absl::Seconds(1);

// A waiting call sees only by asking that its caller went away.
constexpr absl::Duration kCancelCheck = absl::Milliseconds(20);

// Holds the one place for as long as it lives, if it got it.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& busy) : busy_(busy), taken_(!busy.exchange(true)) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (taken_) busy_ = false;
  }

  bool taken() const { return taken_; }

 private:
  std::atomic<bool>& busy_;
  const bool taken_;
};

// Where a lane leaves the job's result for the waiting call.
class Mailbox {
 public:
  void Put(absl::StatusOr<batching::JobResult> result) {
    const base::MutexLock lock(mutex_);
    result_ = std::move(result);
    there_.NotifyAll();
  }

  // Unset when nothing came within `timeout`.
  std::optional<absl::StatusOr<batching::JobResult>> Take(absl::Duration timeout) {
    const base::MutexLock lock(mutex_);
    if (!result_) there_.WaitFor(mutex_, timeout);
    return std::exchange(result_, std::nullopt);
  }

 private:
  base::Mutex mutex_;
  base::CondVar there_;
  std::optional<absl::StatusOr<batching::JobResult>> result_ ABSL_GUARDED_BY(mutex_);
};

struct CallLimits {
  const grpc::ServerContext& context;
  const base::Clock& clock;
  absl::Time deadline;  // of the clock's MonotonicNow
};

absl::Status CheckWanted(const CallLimits& limits) {
  if (limits.clock.MonotonicNow() >= limits.deadline) {
    return base::WithReason(absl::DeadlineExceededError("explain: the call's time is over"),
                            "DEADLINE_EXCEEDED");
  }
  if (!limits.context.IsCancelled()) return absl::OkStatus();
  return base::WithReason(absl::CancelledError("explain: the caller went away"), "CANCELLED");
}

absl::StatusOr<std::vector<runtime::HeadAttention>> RunPass(const CallEnvironment& environment,
                                                            const CallLimits& limits,
                                                            ExplainPlan& plan) {
  const auto mailbox = std::make_shared<Mailbox>();  // co-owned with the job
  const auto cancel = std::make_shared<batching::CancelFlag>();
  batching::Job job;
  job.rows = std::move(plan.input.row);
  job.row_count = 1;
  job.deadline = limits.deadline;
  job.companions = batching::Companions::kNone;
  job.explain = plan.heads;
  job.cancel = cancel;
  job.done = [mailbox](absl::StatusOr<batching::JobResult> result) {
    mailbox->Put(std::move(result));
  };
  HYDRA_RETURN_IF_ERROR(environment.submit(std::move(job)));
  // An accepted job is always answered, so the wait ends; the flag only makes it end sooner.
  while (true) {
    auto result = mailbox->Take(kCancelCheck);
    if (limits.context.IsCancelled()) cancel->Cancel();
    if (!result) continue;
    HYDRA_RETURN_IF_ERROR(result->status());
    return std::move((*result)->attention);
  }
}

}  // namespace

absl::StatusOr<v1::ExplainHeadsResponse> HeadExplainer::Explain(
    const grpc::ServerContext& context, const v1::ExplainHeadsRequest& request) {
  const Turn turn(busy_);
  if (!turn.taken()) {
    return base::WithRetryDelay(
        base::WithReason(absl::ResourceExhaustedError("explain: another call runs"),
                         "EXPLAIN_BUSY"),
        kBusyRetryDelay);
  }
  const base::Clock& clock = environment_.clock;
  const CallLimits limits{
      context, clock, std::min(JobDeadline(context, clock), clock.MonotonicNow() + kLongestCall)};
  HYDRA_ASSIGN_OR_RETURN(ExplainPlan plan,
                         PlanExplain(request, environment_.keeper.Current(), environment_.limits));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<runtime::HeadAttention> attention,
                         RunPass(environment_, limits, plan));
  const policy::ServedBundle& bundle = *plan.snapshot->bundle;
  v1::ExplainHeadsResponse response;
  response.mutable_model()->set_name(bundle.manifest.name);
  response.mutable_model()->set_bundle_digest(bundle.digest);
  response.set_truncated_tokens(static_cast<uint32_t>(plan.input.truncated_tokens));
  for (size_t i = 0; i < attention.size(); ++i) {
    HYDRA_RETURN_IF_ERROR(CheckWanted(limits));
    HYDRA_ASSIGN_OR_RETURN(*response.add_explanations(), ExplainHead(plan, i, attention[i]));
  }
  return response;
}

}  // namespace hydra::rpc
