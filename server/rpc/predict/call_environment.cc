#include "server/rpc/predict/call_environment.h"

#include <chrono>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "model/base/check.h"

namespace hydra::rpc {

void CallCount::Enter() {
  const base::MutexLock lock(mutex_);
  ++calls_;
}

void CallCount::Leave() {
  const base::MutexLock lock(mutex_);
  HYDRA_CHECK(calls_ > 0);
  if (--calls_ == 0) none_.NotifyAll();
}

void CallCount::WaitForNone() {
  const base::MutexLock lock(mutex_);
  while (calls_ > 0) none_.Wait(mutex_);
}

absl::Time JobDeadline(const grpc::ServerContext& context, const base::Clock& clock) {
  const std::chrono::system_clock::time_point deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) return absl::InfiniteFuture();
  // gRPC made its deadline from the system clock, whatever clock the jobs run by.
  const absl::Duration left = absl::FromChrono(deadline - std::chrono::system_clock::now());
  return clock.MonotonicNow() + left;
}

void RecordAnswers(absl::Span<const AnsweredRow> rows, const policy::Snapshot& snapshot,
                   const CallEnvironment& environment) {
  std::vector<policy::LiveSample> samples;
  samples.reserve(rows.size());
  for (const AnsweredRow& row : rows) {
    samples.push_back(SampleOf(row));
    environment.observer.OnAnswer({.answer = row.answer,
                                   .decision = row.decision,
                                   .policy = snapshot.policy,
                                   .truncated_tokens = row.truncated_tokens});
  }
  environment.reservoir.Add(std::move(samples));
}

}  // namespace hydra::rpc
