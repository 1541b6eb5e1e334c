// hydra.v1.PredictionService: Predict as an asynchronous call.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_unary_call.h"
#include "hydra/v1/prediction.grpc.pb.h"
#include "server/rpc/predict/call_environment.h"
#include "server/rpc/predict/predict_conversion.h"

namespace hydra::rpc {

// A Face of InferenceCall.  Thread-safe.
class PredictionFace {
 public:
  using Request = v1::PredictRequest;
  using Response = v1::PredictResponse;
  using PlanType = PredictPlan;
  static constexpr absl::string_view kMethod = "hydra.v1.PredictionService/Predict";

  // `environment` outlives the face.
  explicit PredictionFace(const CallEnvironment& environment) : environment_(environment) {}

  grpc::Service& service() { return service_; }

  void Listen(grpc::ServerContext* context, Request* request,
              grpc::ServerAsyncResponseWriter<Response>* writer, grpc::ServerCompletionQueue* queue,
              void* tag) {
    service_.RequestPredict(context, request, writer, queue, queue, tag);
  }

  absl::StatusOr<PredictPlan> MakePlan(const Request& request) const {
    return PlanPredict(request, environment_.keeper.Current(), environment_.limits);
  }

  Response MakeResponse(const PredictPlan& plan, absl::Span<const AnsweredRow> rows,
                        const CallTimings& timings) const {
    return MakePredictResponse(plan, rows, timings);
  }

 private:
  // The synchronous methods that are left answer UNIMPLEMENTED.
  class Service final
      : public v1::PredictionService::WithAsyncMethod_Predict<v1::PredictionService::Service> {};

  const CallEnvironment& environment_;
  Service service_;
};

}  // namespace hydra::rpc
