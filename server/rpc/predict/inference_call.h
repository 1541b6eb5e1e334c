// The life of one asynchronous inference call, for either protocol face.
//
//   listen -> arrived: validate, submit -> (a lane runs the job) -> answered: make the answer ->
//   finished.
//
// Everything but the job runs on the thread of the call's queue.  A lane only leaves its result and
// rings an alarm on that queue: lanes never touch protobuf, RPC threads never run the model.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpc/support/time.h"
#include "grpcpp/alarm.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_unary_call.h"
#include "model/base/mutex.h"
#include "server/batching/job.h"
#include "server/rpc/predict/answering.h"
#include "server/rpc/predict/call_environment.h"
#include "server/rpc/predict/completion_queues.h"
#include "server/rpc/wire/status_conversion.h"

namespace hydra::rpc {

// Face: a protocol, with
//   Request, Response, PlanType (derived from Plan), kMethod,
//   void Listen(ServerContext*, Request*, ServerAsyncResponseWriter<Response>*,
//               ServerCompletionQueue*, void* tag),
//   StatusOr<PlanType> MakePlan(const Request&) const,
//   Response MakeResponse(const PlanType&, Span<const AnsweredRow>, const CallTimings&) const.
// Owns itself: a call deletes itself after its last event.
template <typename Face>
class InferenceCall {
 public:
  // Waits for the next call.  `face` and `environment` outlive every call.
  static void Listen(Face& face, CallEnvironment& environment, grpc::ServerCompletionQueue& queue) {
    auto* const call = new InferenceCall(face, environment, queue);
    face.Listen(&call->context_, &call->request_, &call->writer_, &queue, &call->arrived_);
  }

 private:
  InferenceCall(Face& face, CallEnvironment& environment, grpc::ServerCompletionQueue& queue)
      : face_(face),
        environment_(environment),
        queue_(queue),
        writer_(&context_),
        arrived_([this](bool ok) { OnArrived(ok); }),
        gone_([this](bool) { OnGone(); }),
        answered_([this](bool) { OnAnswered(); }),
        finished_([this](bool) { Release(); }),
        cancel_(std::make_shared<batching::CancelFlag>()) {
    environment_.calls.Enter();
    context_.AsyncNotifyWhenDone(&gone_);
  }

  ~InferenceCall() = default;

  void OnArrived(bool ok) {
    if (!ok) {  // the server shuts down; gone_ does not fire for a call that never started
      Destroy();
      return;
    }
    received_ = environment_.clock.MonotonicNow();
    Listen(face_, environment_, queue_);
    if (absl::Status status = StartJob(); !status.ok()) Finish(status);
  }

  absl::Status StartJob() {
    absl::StatusOr<typename Face::PlanType> plan = face_.MakePlan(request_);
    if (!plan.ok()) return plan.status();
    plan_ = *std::move(plan);
    decoded_ = environment_.clock.MonotonicNow();
    request_ = {};  // the rows are copied: do not hold both while the job waits
    batching::Job job;
    job.rows = std::move(plan_->inputs.rows);
    job.row_count = plan_->inputs.count;
    job.deadline = JobDeadline(context_, environment_.clock);
    job.cancel = cancel_;
    job.done = [this](absl::StatusOr<batching::JobResult> result) { Ring(std::move(result)); };
    return environment_.submit(std::move(job));
  }

  // On a lane's thread.  The mutex, not the queue, orders the result for readers.
  void Ring(absl::StatusOr<batching::JobResult> result) {
    const base::MutexLock lock(mutex_);
    result_ = std::move(result);
    alarm_.Set(&queue_, gpr_now(GPR_CLOCK_MONOTONIC), &answered_);
  }

  void OnAnswered() { Finish(MakeResponse()); }

  absl::StatusOr<batching::JobResult> TakeResult() {
    const base::MutexLock lock(mutex_);
    return std::move(result_);
  }

  absl::Status MakeResponse() {
    const absl::StatusOr<batching::JobResult> result = TakeResult();
    if (!result.ok()) return result.status();
    const absl::StatusOr<std::vector<AnsweredRow>> rows =
        AnswerJob(*result, plan_->inputs.truncated_tokens, *plan_->snapshot);
    if (!rows.ok()) return rows.status();
    const CallTimings timings{.decode = decoded_ - received_,
                              .job = result->timings,
                              .total = environment_.clock.MonotonicNow() - received_};
    response_ = face_.MakeResponse(*plan_, *rows, timings);
    RecordAnswers(*rows, *plan_->snapshot, environment_);
    return absl::OkStatus();
  }

  void Finish(const absl::Status& status) {
    AddRetryPushback(status, context_);
    environment_.observer.OnCall({.method = Face::kMethod,
                                  .status = status,
                                  .duration = environment_.clock.MonotonicNow() - received_,
                                  .request_id = plan_ ? plan_->request_id : std::string(),
                                  .instances = plan_ ? plan_->inputs.count : 0,
                                  .decode = DecodeTime()});
    if (status.ok()) {
      writer_.Finish(response_, grpc::Status::OK, &finished_);
    } else {
      writer_.FinishWithError(ToGrpcStatus(status), &finished_);
    }
  }

  std::optional<absl::Duration> DecodeTime() const {
    if (!plan_) return std::nullopt;
    return decoded_ - received_;
  }

  // The caller went away, or the call is over.
  void OnGone() {
    if (context_.IsCancelled()) cancel_->Cancel();
    Release();
  }

  // After finished_ and gone_, in either order, nothing can fire any more.
  void Release() {
    if (--events_left_ == 0) Destroy();
  }

  void Destroy() {
    CallCount& calls = environment_.calls;
    delete this;
    calls.Leave();
  }

  Face& face_;
  CallEnvironment& environment_;
  grpc::ServerCompletionQueue& queue_;
  grpc::ServerContext context_;
  typename Face::Request request_;
  typename Face::Response response_;
  grpc::ServerAsyncResponseWriter<typename Face::Response> writer_;
  QueueEvent arrived_;
  QueueEvent gone_;
  QueueEvent answered_;
  QueueEvent finished_;
  int events_left_ = 2;
  grpc::Alarm alarm_;
  std::shared_ptr<batching::CancelFlag> cancel_;  // co-owned with the job
  absl::Time received_;
  absl::Time decoded_;
  std::optional<typename Face::PlanType> plan_;
  base::Mutex mutex_;
  absl::StatusOr<batching::JobResult> result_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hydra::rpc
