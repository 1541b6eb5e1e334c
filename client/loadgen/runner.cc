#include "client/loadgen/runner.h"

#include <optional>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "client/cpp/client.h"
#include "client/loadgen/caller.h"
#include "model/base/status_macros.h"

namespace hydra::loadgen {
namespace {

// What the sender of an open load hands over when it has ended.
struct NotSent {
  std::vector<absl::Time> scheduled;
};

// A refusal for overload is what a load is there to find; anything else would fail every call.
absl::Status TryOnce(const client::Options& options, const v1::PredictRequest& request) {
  client::Options once = options;
  once.retry.max_attempts = 1;
  HYDRA_ASSIGN_OR_RETURN(client::Client client, client::Client::Create(once));
  const absl::Status status = client.Predict(request).status();
  const bool overloaded = status.code() == absl::StatusCode::kResourceExhausted ||
                          status.code() == absl::StatusCode::kDeadlineExceeded;
  return overloaded ? absl::OkStatus() : status;
}

void RunClosed(const Load& load, absl::Time end, const base::Clock& clock, Caller& caller,
               Recorder& recorder) {
  size_t sent = 0;
  const auto send_another = [&] {
    const absl::Time now = clock.MonotonicNow();
    if (sent >= load.max_calls || now >= end) return;
    ++sent;
    caller.Send(now);
  };
  for (size_t i = 0; i < load.concurrency; ++i) send_another();
  while (caller.in_flight() > 0) {
    if (const std::optional<CallRecord> record = caller.Receive(); record.has_value()) {
      recorder.Add(*record);
    }
    send_another();
  }
  caller.Finish();
  while (caller.Receive().has_value()) {
  }
}

// What both threads of an open loop know.
struct OpenRun {
  const Load& load;
  absl::Time start;
  RunnerDeps deps;
};

void SendOpen(const OpenRun& run, ArrivalSchedule schedule, Caller& caller, NotSent& not_sent) {
  const Load& load = run.load;
  const absl::Duration whole = load.warm_up + load.duration;
  for (size_t calls = 0; calls < load.max_calls; ++calls) {
    const absl::Duration offset = schedule.Next();
    if (offset >= whole) break;
    const absl::Time due = run.start + offset;
    run.deps.sleeper.Wait(due - run.deps.clock.MonotonicNow());
    if (caller.in_flight() >= load.max_in_flight) {
      not_sent.scheduled.push_back(due);
    } else {
      caller.Send(due);
    }
  }
  caller.Finish();
}

void RunOpen(const OpenRun& run, ArrivalSchedule schedule, Caller& caller, Recorder& recorder) {
  NotSent not_sent;
  std::jthread sender([&, schedule] { SendOpen(run, schedule, caller, not_sent); });
  while (const std::optional<CallRecord> record = caller.Receive()) recorder.Add(*record);
  sender.join();
  for (const absl::Time scheduled : not_sent.scheduled) recorder.AddNotSent(scheduled);
}

}  // namespace

absl::StatusOr<LoadSummary> RunLoad(const Load& load, const client::Options& options,
                                    const std::vector<v1::PredictRequest>& requests,
                                    RunnerDeps deps) {
  HYDRA_RETURN_IF_ERROR(Validate(load));
  if (requests.empty()) return absl::InvalidArgumentError("requests: got none, want at least one");
  HYDRA_ASSIGN_OR_RETURN(ArrivalSchedule schedule, ArrivalSchedule::Create(load.arrivals));
  client::Options with_deadline = options;
  with_deadline.timeout = load.deadline;
  HYDRA_RETURN_IF_ERROR(TryOnce(with_deadline, requests.front()));
  Caller caller(with_deadline, requests, deps.clock);
  const absl::Time start = deps.clock.MonotonicNow();
  Recorder recorder(start + load.warm_up, load.deadline);
  if (load.kind == LoadKind::kClosed) {
    RunClosed(load, start + load.warm_up + load.duration, deps.clock, caller, recorder);
  } else {
    RunOpen({load, start, deps}, std::move(schedule), caller, recorder);
  }
  return recorder.Summarize();
}

}  // namespace hydra::loadgen
