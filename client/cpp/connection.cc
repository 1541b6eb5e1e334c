#include "client/cpp/connection.h"

#include <cstdint>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cpp/channel.h"
#include "client/cpp/status_from_grpc.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "hydra/v1/abstention.grpc.pb.h"
#include "hydra/v1/head_map.grpc.pb.h"
#include "hydra/v1/model.grpc.pb.h"
#include "hydra/v1/prediction.grpc.pb.h"
#include "model/base/status_macros.h"

namespace hydra::client {
namespace {

// Clients that start together must not draw the same waits.
uint64_t RandomSeed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

template <typename Stub, typename Request, typename Response>
using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);

class GrpcConnection final : public Connection {
 public:
  GrpcConnection(Options options, ConnectionDeps deps)
      : options_(std::move(options)),
        retrier_(options_.retry, deps.clock, deps.sleeper, RandomSeed()),
        channel_(MakeChannel(options_)),
        prediction_(channel_),
        abstention_(channel_),
        head_map_(channel_),
        model_(channel_),
        health_(channel_) {}

  absl::StatusOr<v1::PredictResponse> Predict(const v1::PredictRequest& request,
                                              const CallOptions& call) override {
    return Call(prediction_, &v1::PredictionService::Stub::Predict, request, call);
  }
  absl::StatusOr<v1::GetPolicyResponse> GetPolicy(const v1::GetPolicyRequest& request,
                                                  const CallOptions& call) override {
    return Call(abstention_, &v1::AbstentionService::Stub::GetPolicy, request, call);
  }
  absl::StatusOr<v1::UpdatePolicyResponse> UpdatePolicy(const v1::UpdatePolicyRequest& request,
                                                        const CallOptions& call) override {
    const bool guarded = request.validate_only() || !request.policy().etag().empty();
    return Call(abstention_, &v1::AbstentionService::Stub::UpdatePolicy, request, call,
                guarded ? Idempotency::kIdempotent : Idempotency::kOnce);
  }
  absl::StatusOr<v1::PreviewPolicyResponse> PreviewPolicy(const v1::PreviewPolicyRequest& request,
                                                          const CallOptions& call) override {
    return Call(abstention_, &v1::AbstentionService::Stub::PreviewPolicy, request, call);
  }
  absl::StatusOr<v1::ListPolicyRevisionsResponse> ListPolicyRevisions(
      const v1::ListPolicyRevisionsRequest& request, const CallOptions& call) override {
    return Call(abstention_, &v1::AbstentionService::Stub::ListPolicyRevisions, request, call);
  }
  absl::StatusOr<v1::RollbackPolicyResponse> RollbackPolicy(
      const v1::RollbackPolicyRequest& request, const CallOptions& call) override {
    const bool guarded = request.validate_only() || !request.etag().empty();
    return Call(abstention_, &v1::AbstentionService::Stub::RollbackPolicy, request, call,
                guarded ? Idempotency::kIdempotent : Idempotency::kOnce);
  }
  absl::StatusOr<v1::GetHeadMapResponse> GetHeadMap(const v1::GetHeadMapRequest& request,
                                                    const CallOptions& call) override {
    return Call(head_map_, &v1::HeadMapService::Stub::GetHeadMap, request, call);
  }
  absl::StatusOr<v1::ExplainHeadsResponse> ExplainHeads(const v1::ExplainHeadsRequest& request,
                                                        const CallOptions& call) override {
    return Call(head_map_, &v1::HeadMapService::Stub::ExplainHeads, request, call);
  }
  absl::StatusOr<v1::GetModelResponse> GetModel(const v1::GetModelRequest& request,
                                                const CallOptions& call) override {
    return Call(model_, &v1::ModelService::Stub::GetModel, request, call);
  }
  absl::StatusOr<grpc::health::v1::HealthCheckResponse> CheckHealth(
      const grpc::health::v1::HealthCheckRequest& request, const CallOptions& call) override {
    return Call(health_, &grpc::health::v1::Health::Stub::Check, request, call);
  }

 private:
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(Stub& stub, Method<Stub, Request, Response> method,
                                const Request& request, const CallOptions& call,
                                Idempotency idempotency = Idempotency::kIdempotent) {
    const absl::Duration timeout = call.timeout.value_or(options_.timeout);
    HYDRA_RETURN_IF_ERROR(ValidateTimeout(timeout));
    Response response;
    HYDRA_RETURN_IF_ERROR(retrier_.Run(timeout, idempotency, [&](absl::Duration remaining) {
      grpc::ClientContext context;
      PrepareContext(options_, remaining, context);
      response.Clear();
      return StatusOfUncancelledCall((stub.*method)(&context, request, &response));
    }));
    return response;
  }

  const Options options_;
  Retrier retrier_;
  const std::shared_ptr<grpc::Channel> channel_;  // gRPC's stubs and calls share it by design
  v1::PredictionService::Stub prediction_;
  v1::AbstentionService::Stub abstention_;
  v1::HeadMapService::Stub head_map_;
  v1::ModelService::Stub model_;
  grpc::health::v1::Health::Stub health_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<Connection>> MakeConnection(const Options& options,
                                                           ConnectionDeps deps) {
  HYDRA_RETURN_IF_ERROR(Validate(options));
  return std::make_shared<GrpcConnection>(options, deps);
}

absl::StatusOr<std::shared_ptr<Connection>> MakeConnection(const Options& options) {
  static const base::RealClock clock;
  static RealSleeper sleeper;
  return MakeConnection(options, {clock, sleeper});
}

}  // namespace hydra::client
