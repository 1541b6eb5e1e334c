#include "server/rpc/rpc_server.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "grpc/grpc.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/resource_quota.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "model/base/mutex.h"
#include "model/base/status_macros.h"
#include "server/rpc/control/abstention_service.h"
#include "server/rpc/control/feedback_service.h"
#include "server/rpc/control/head_map_service.h"
#include "server/rpc/control/model_service.h"
#include "server/rpc/inference/open_inference_face.h"
#include "server/rpc/predict/completion_queues.h"
#include "server/rpc/predict/inference_call.h"
#include "server/rpc/predict/prediction_face.h"
#include "server/rpc/wire/authorizer.h"

namespace hydra::rpc {
namespace {

// Each queue listens for several calls of a face, so that a burst does not wait for re-arming.
constexpr int kListeningCalls = 4;

constexpr const char* kServices[] = {
    "hydra.v1.PredictionService", "hydra.v1.AbstentionService", "hydra.v1.HeadMapService",
    "hydra.v1.ModelService",      "hydra.v1.FeedbackService",   "inference.GRPCInferenceService",
};

absl::Status CheckPositive(absl::string_view name, size_t value) {
  if (value > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": got 0, want at least 1"));
}

absl::Status CheckOptions(const RpcServerOptions& options) {
  HYDRA_RETURN_IF_ERROR(CheckPositive("completion_threads", options.completion_threads));
  HYDRA_RETURN_IF_ERROR(CheckPositive("max_instances", options.max_instances));
  HYDRA_RETURN_IF_ERROR(CheckPositive("max_concurrent_streams", options.max_concurrent_streams));
  constexpr size_t kMaxInt = std::numeric_limits<int>::max();
  if (options.max_message_bytes < 1 || options.max_message_bytes > kMaxInt) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_message_bytes: got ", options.max_message_bytes, ", want 1..", kMaxInt));
  }
  return absl::OkStatus();
}

int Milliseconds(absl::Duration duration) {
  const int64_t limit = std::numeric_limits<int>::max();  // gRPC's "never"
  return static_cast<int>(std::clamp<int64_t>(absl::ToInt64Milliseconds(duration), 1, limit));
}

void LimitConnections(const RpcServerOptions& options, grpc::ServerBuilder& builder) {
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);  // of the methods that are quick
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  builder.SetMaxSendMessageSize(static_cast<int>(options.max_message_bytes));
  grpc::ResourceQuota quota("hydra");
  quota.Resize(options.memory_quota_bytes);
  builder.SetResourceQuota(quota);
  const auto set = [&builder](const char* name, int value) {
    builder.AddChannelArgument(name, value);
  };
  set(GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int>(options.max_concurrent_streams));
  set(GRPC_ARG_MAX_CONNECTION_IDLE_MS, Milliseconds(options.max_connection_idle));
  set(GRPC_ARG_MAX_CONNECTION_AGE_MS, Milliseconds(options.max_connection_age));
  set(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, Milliseconds(options.max_connection_age_grace));
  set(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keepalive_time));
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(options.keepalive_timeout));
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      Milliseconds(options.min_ping_interval));
  set(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two servers on one port would share its calls unnoticed
}

RequestLimits RequestLimitsOf(const RpcServerOptions& options) {
  return {.max_instances = options.max_instances,
          .image = {.max_bytes = options.max_image_bytes,
                    .max_pixels = options.max_image_pixels,
                    .max_side = options.max_image_side},
          .max_text_bytes = options.max_text_bytes};
}

}  // namespace

class RpcServer::Impl {
 public:
  Impl(RpcServerOptions options, RpcServerDeps deps, Authorizer authorizer)
      : options_(std::move(options)),
        authorizer_(std::move(authorizer)),
        calls_environment_{
            std::move(deps.submit),    deps.keeper, deps.reservoir, deps.clock, deps.observer,
            RequestLimitsOf(options_), calls_},
        control_environment_{deps.keeper, authorizer_, deps.clock, deps.observer},
        prediction_(calls_environment_),
        open_inference_service_(control_environment_, ready_, std::move(deps.version)),
        open_inference_(open_inference_service_, calls_environment_),
        abstention_(control_environment_),
        feedback_(control_environment_),
        head_map_(control_environment_, calls_environment_),
        model_(control_environment_, {.request = calls_environment_.limits,
                                      .max_message_bytes = options_.max_message_bytes}) {}

  absl::Status Start();
  void SetHealth(Health health);
  void Shutdown(absl::Duration grace);
  int port() const { return port_; }

 private:
  void Register(grpc::ServerBuilder& builder);

  const RpcServerOptions options_;
  const Authorizer authorizer_;
  CallCount calls_;
  ReadyFlag ready_ = false;
  CallEnvironment calls_environment_;
  const ControlEnvironment control_environment_;
  PredictionFace prediction_;
  OpenInferenceService open_inference_service_;
  OpenInferenceFace open_inference_;
  AbstentionService abstention_;
  FeedbackService feedback_;
  HeadMapService head_map_;
  ModelService model_;
  int port_ = 0;
  base::Mutex shutdown_mutex_;
  bool stopped_ ABSL_GUARDED_BY(shutdown_mutex_) = false;
  std::unique_ptr<CompletionQueues> queues_;  // outlives the server, as gRPC asks
  std::unique_ptr<grpc::Server> server_;
};

void RpcServer::Impl::Register(grpc::ServerBuilder& builder) {
  builder.RegisterService(&prediction_.service());
  builder.RegisterService(&open_inference_service_);
  builder.RegisterService(&abstention_);
  builder.RegisterService(&feedback_);
  builder.RegisterService(&head_map_);
  builder.RegisterService(&model_);
}

absl::Status RpcServer::Impl::Start() {
  grpc::EnableDefaultHealthCheckService(true);
  if (options_.reflection) grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  LimitConnections(options_, builder);
  builder.AddListeningPort(options_.listen, grpc::InsecureServerCredentials(), &port_);
  Register(builder);
  queues_ = std::make_unique<CompletionQueues>(options_.completion_threads, builder);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port_ == 0) {
    return absl::UnavailableError(absl::StrCat("listen: cannot bind ", options_.listen));
  }
  SetHealth(Health::kNotServing);
  for (const auto& queue : queues_->queues()) {
    for (int i = 0; i < kListeningCalls; ++i) {
      InferenceCall<PredictionFace>::Listen(prediction_, calls_environment_, *queue);
      InferenceCall<OpenInferenceFace>::Listen(open_inference_, calls_environment_, *queue);
    }
  }
  queues_->Start();
  return absl::OkStatus();
}

void RpcServer::Impl::SetHealth(Health health) {
  const bool serving = health == Health::kServing;
  ready_ = serving;
  if (server_ == nullptr) return;
  grpc::HealthCheckServiceInterface* const service = server_->GetHealthCheckService();
  service->SetServingStatus(serving);
  for (const char* name : kServices) service->SetServingStatus(name, serving);
}

void RpcServer::Impl::Shutdown(absl::Duration grace) {
  const base::MutexLock lock(shutdown_mutex_);
  if (server_ == nullptr || stopped_) return;
  stopped_ = true;
  SetHealth(Health::kNotServing);
  server_->Shutdown(std::chrono::system_clock::now() + absl::ToChronoMilliseconds(grace));
  calls_.WaitForNone();
  queues_->Stop();
}

RpcServer::RpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

RpcServer::~RpcServer() { Shutdown(absl::ZeroDuration()); }

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Create(RpcServerOptions options,
                                                             RpcServerDeps deps) {
  HYDRA_RETURN_IF_ERROR(CheckOptions(options));
  HYDRA_ASSIGN_OR_RETURN(Authorizer authorizer,
                         Authorizer::Create(options.token_file, options.listen));
  return std::unique_ptr<RpcServer>(new RpcServer(
      std::make_unique<Impl>(std::move(options), std::move(deps), std::move(authorizer))));
}

absl::Status RpcServer::Start() { return impl_->Start(); }

void RpcServer::SetHealth(Health health) { impl_->SetHealth(health); }

void RpcServer::Shutdown(absl::Duration grace) { impl_->Shutdown(grace); }

int RpcServer::port() const { return impl_->port(); }

}  // namespace hydra::rpc
