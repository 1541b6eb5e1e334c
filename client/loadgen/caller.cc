#include "client/loadgen/caller.h"

#include "client/cpp/channel.h"
#include "client/cpp/status_from_grpc.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/async_unary_call.h"

namespace hydra::loadgen {

struct Caller::Call {
  grpc::ClientContext context;
  v1::PredictResponse response;
  grpc::Status status;
  CallRecord record;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::PredictResponse>> reader;
};

Caller::Caller(const client::Options& options, const std::vector<v1::PredictRequest>& requests,
               const base::Clock& clock)
    : options_(options),
      requests_(requests),
      clock_(clock),
      channel_(client::MakeChannel(options)),
      stub_(channel_) {}

Caller::~Caller() = default;

void Caller::Send(absl::Time scheduled) {
  const v1::PredictRequest& request = requests_[next_request_++ % requests_.size()];
  auto call = std::make_unique<Call>();
  client::PrepareContext(options_, options_.timeout, call->context);
  call->record.scheduled = scheduled;
  call->record.sent = clock_.MonotonicNow();
  call->record.rows = static_cast<size_t>(request.instances_size());
  in_flight_.fetch_add(1);
  const base::MutexLock lock(starting_);
  call->reader = stub_.AsyncPredict(&call->context, request, &queue_);
  Call* tag = call.release();  // owned by the queue until Receive takes it back
  tag->reader->Finish(&tag->response, &tag->status, tag);
}

void Caller::Finish() { queue_.Shutdown(); }

std::optional<CallRecord> Caller::Receive() {
  void* tag = nullptr;
  bool ok = false;
  if (!queue_.Next(&tag, &ok)) return std::nullopt;
  const std::unique_ptr<Call> call(static_cast<Call*>(tag));
  { const base::MutexLock sender_is_done(starting_); }
  in_flight_.fetch_sub(1);
  call->record.finished = clock_.MonotonicNow();
  call->record.code = client::StatusOfUncancelledCall(call->status).code();
  for (const v1::Prediction& prediction : call->response.predictions()) {
    if (prediction.has_status()) continue;
    ++call->record.answered;
    call->record.abstained += prediction.decision().outcome() == v1::DECISION_OUTCOME_ABSTAINED;
  }
  return call->record;
}

}  // namespace hydra::loadgen
