// inference.GRPCInferenceService, the compatibility face: ModelInfer as an asynchronous call, the
// rest synchronous.  It has no policy of its own.
#pragma once

#include <atomic>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_unary_call.h"
#include "grpcpp/support/status.h"
#include "inference/grpc_service.grpc.pb.h"
#include "server/rpc/inference/infer_conversion.h"
#include "server/rpc/predict/call_environment.h"
#include "server/rpc/wire/handler.h"

namespace hydra::rpc {

// Whether the server takes predictions; set by its owner, read by every face.
using ReadyFlag = std::atomic<bool>;

// The synchronous methods.  Thread-safe.  The arguments outlive it.
class OpenInferenceService : public inference::GRPCInferenceService::WithAsyncMethod_ModelInfer<
                                 inference::GRPCInferenceService::Service> {
 public:
  OpenInferenceService(const ControlEnvironment& environment, const ReadyFlag& ready,
                       std::string version)
      : environment_(environment), ready_(ready), version_(std::move(version)) {}

  grpc::Status ServerLive(grpc::ServerContext* context, const inference::ServerLiveRequest*,
                          inference::ServerLiveResponse* response) override;
  grpc::Status ServerReady(grpc::ServerContext* context, const inference::ServerReadyRequest*,
                           inference::ServerReadyResponse* response) override;
  grpc::Status ModelReady(grpc::ServerContext* context, const inference::ModelReadyRequest* request,
                          inference::ModelReadyResponse* response) override;
  grpc::Status ServerMetadata(grpc::ServerContext* context, const inference::ServerMetadataRequest*,
                              inference::ServerMetadataResponse* response) override;
  grpc::Status ModelMetadata(grpc::ServerContext* context,
                             const inference::ModelMetadataRequest* request,
                             inference::ModelMetadataResponse* response) override;

 private:
  const ControlEnvironment& environment_;
  const ReadyFlag& ready_;
  const std::string version_;
};

// A Face of InferenceCall.  Thread-safe.  The arguments outlive it.
class OpenInferenceFace {
 public:
  using Request = inference::ModelInferRequest;
  using Response = inference::ModelInferResponse;
  using PlanType = InferPlan;
  static constexpr absl::string_view kMethod = "inference.GRPCInferenceService/ModelInfer";

  OpenInferenceFace(OpenInferenceService& service, const CallEnvironment& environment)
      : service_(service), environment_(environment) {}

  void Listen(grpc::ServerContext* context, Request* request,
              grpc::ServerAsyncResponseWriter<Response>* writer, grpc::ServerCompletionQueue* queue,
              void* tag) {
    service_.RequestModelInfer(context, request, writer, queue, queue, tag);
  }

  absl::StatusOr<InferPlan> MakePlan(const Request& request) const {
    return PlanInfer(request, environment_.keeper.Current(), environment_.limits);
  }

  Response MakeResponse(const InferPlan& plan, absl::Span<const AnsweredRow> rows,
                        const CallTimings&) const {
    return MakeInferResponse(plan, rows);
  }

 private:
  OpenInferenceService& service_;
  const CallEnvironment& environment_;
};

}  // namespace hydra::rpc
