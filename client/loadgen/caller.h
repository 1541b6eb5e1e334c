// Asynchronous Predict calls on one completion queue.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "client/cpp/options.h"
#include "client/loadgen/recorder.h"
#include "grpcpp/channel.h"
#include "grpcpp/completion_queue.h"
#include "hydra/v1/prediction.grpc.pb.h"
#include "model/base/clock.h"
#include "model/base/mutex.h"

namespace hydra::loadgen {

// One thread may Send while another one Receives.  After Finish nothing may be sent; Receive then
// gives what is still in flight.  Whoever makes a Caller must call Finish and Receive to the end.
class Caller {
 public:
  // All references must outlive the caller; `options.timeout` is the deadline of each call.
  Caller(const client::Options& options, const std::vector<v1::PredictRequest>& requests,
         const base::Clock& clock);
  ~Caller();

  void Send(absl::Time scheduled);
  void Finish();

  // Blocks until a call has ended; unset after Finish when none is left.
  std::optional<CallRecord> Receive();

  size_t in_flight() const { return in_flight_.load(); }

 private:
  struct Call;

  const client::Options& options_;
  const std::vector<v1::PredictRequest>& requests_;
  const base::Clock& clock_;
  std::shared_ptr<grpc::Channel> channel_;  // gRPC's stubs and calls share it by design
  v1::PredictionService::Stub stub_;
  grpc::CompletionQueue queue_;
  size_t next_request_ = 0;
  std::atomic<size_t> in_flight_ = 0;
  base::Mutex starting_;  // held while a call is started; its event can come before Send is done
};

}  // namespace hydra::loadgen
