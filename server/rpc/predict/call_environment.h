// What every inference call of a server shares.
#pragma once

#include <cstddef>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "grpcpp/server_context.h"
#include "model/base/clock.h"
#include "model/base/mutex.h"
#include "server/batching/job.h"
#include "server/policy/keeper.h"
#include "server/policy/reservoir.h"
#include "server/rpc/predict/answering.h"
#include "server/rpc/predict/plan.h"
#include "server/rpc/predict/row_reader.h"
#include "server/rpc/wire/observer.h"

namespace hydra::rpc {

// Batcher::Submit, or a test's double.
using SubmitJob = std::function<absl::Status(batching::Job)>;

// Counts the calls that exist, listening ones too: a queue may go away when there is none.
// Thread-safe.
class CallCount {
 public:
  void Enter();
  void Leave();
  void WaitForNone();

 private:
  base::Mutex mutex_;
  base::CondVar none_;
  size_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
};

// The members outlive every call.
struct CallEnvironment {
  SubmitJob submit;
  policy::Keeper& keeper;
  policy::Reservoir& reservoir;
  const base::Clock& clock;
  Observer& observer;
  RequestLimits limits;
  CallCount& calls;
};

// The client's deadline on the clock of the jobs; infinite when it set none.
absl::Time JobDeadline(const grpc::ServerContext& context, const base::Clock& clock);

// Tells observer and reservoir about answers.
void RecordAnswers(absl::Span<const AnsweredRow> rows, const policy::Snapshot& snapshot,
                   const CallEnvironment& environment);

}  // namespace hydra::rpc
