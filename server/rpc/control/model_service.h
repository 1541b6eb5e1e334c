// hydra.v1.ModelService: what is served.  Staging and activation come later.
#pragma once

#include "grpcpp/server_context.h"
#include "grpcpp/support/status.h"
#include "hydra/v1/model.grpc.pb.h"
#include "server/rpc/control/model_conversion.h"
#include "server/rpc/wire/handler.h"

namespace hydra::rpc {

// Thread-safe.  `environment` outlives it.
class ModelService final : public v1::ModelService::Service {
 public:
  ModelService(const ControlEnvironment& environment, const PublishedLimits& limits)
      : environment_(environment), limits_(limits) {}

  grpc::Status GetModel(grpc::ServerContext* context, const v1::GetModelRequest* request,
                        v1::GetModelResponse* response) override;
  grpc::Status ListModels(grpc::ServerContext* context, const v1::ListModelsRequest* request,
                          v1::ListModelsResponse* response) override;
  grpc::Status LoadModel(grpc::ServerContext* context, const v1::LoadModelRequest* request,
                         v1::LoadModelResponse* response) override;
  grpc::Status ActivateModel(grpc::ServerContext* context, const v1::ActivateModelRequest* request,
                             v1::ActivateModelResponse* response) override;
  grpc::Status RollbackModel(grpc::ServerContext* context, const v1::RollbackModelRequest* request,
                             v1::RollbackModelResponse* response) override;
  grpc::Status UnloadModel(grpc::ServerContext* context, const v1::UnloadModelRequest* request,
                           v1::UnloadModelResponse* response) override;

 private:
  absl::StatusOr<v1::GetModelResponse> Get(const v1::GetModelRequest& request);
  absl::StatusOr<v1::ListModelsResponse> List(const v1::ListModelsRequest& request);

  const ControlEnvironment& environment_;
  const PublishedLimits limits_;
};

// Errors: NOT_FOUND MODEL_NOT_FOUND unless `name` is empty, or the bundle's name or digest.
absl::Status CheckModelName(absl::string_view name, const policy::ServedBundle& bundle);

}  // namespace hydra::rpc
