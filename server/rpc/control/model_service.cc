#include "server/rpc/control/model_service.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/base/status_macros.h"
#include "server/rpc/control/paging.h"

namespace hydra::rpc {

absl::Status CheckModelName(absl::string_view name, const policy::ServedBundle& bundle) {
  if (name.empty() || name == bundle.manifest.name || name == bundle.digest) {
    return absl::OkStatus();
  }
  return base::WithReason(
      absl::NotFoundError(absl::StrCat("model: got \"", name, "\", this server has \"",
                                       bundle.manifest.name, "\"")),
      "MODEL_NOT_FOUND");
}

absl::StatusOr<v1::GetModelResponse> ModelService::Get(const v1::GetModelRequest& request) {
  const std::shared_ptr<const policy::Snapshot> snapshot = environment_.keeper.Current();
  HYDRA_RETURN_IF_ERROR(CheckModelName(request.name(), *snapshot->bundle));
  v1::GetModelResponse response;
  *response.mutable_model() = ToProto(*snapshot->bundle, limits_);
  return response;
}

absl::StatusOr<v1::ListModelsResponse> ModelService::List(const v1::ListModelsRequest& request) {
  HYDRA_ASSIGN_OR_RETURN(const Page page, FindPage(request.page_size(), request.page_token(), 1));
  v1::ListModelsResponse response;
  if (page.begin < page.end) {
    *response.add_models() = ToProto(*environment_.keeper.Current()->bundle, limits_);
  }
  return response;
}

grpc::Status ModelService::GetModel(grpc::ServerContext* context,
                                    const v1::GetModelRequest* request,
                                    v1::GetModelResponse* response) {
  return Answer(environment_, *context, "hydra.v1.ModelService/GetModel", *response,
                [&] { return Get(*request); });
}

grpc::Status ModelService::ListModels(grpc::ServerContext* context,
                                      const v1::ListModelsRequest* request,
                                      v1::ListModelsResponse* response) {
  return Answer(environment_, *context, "hydra.v1.ModelService/ListModels", *response,
                [&] { return List(*request); });
}

grpc::Status ModelService::LoadModel(grpc::ServerContext* context, const v1::LoadModelRequest*,
                                     v1::LoadModelResponse* response) {
  return AnswerUnimplemented(environment_, *context, "hydra.v1.ModelService/LoadModel", *response);
}

grpc::Status ModelService::ActivateModel(grpc::ServerContext* context,
                                         const v1::ActivateModelRequest*,
                                         v1::ActivateModelResponse* response) {
  return AnswerUnimplemented(environment_, *context, "hydra.v1.ModelService/ActivateModel",
                             *response);
}

grpc::Status ModelService::RollbackModel(grpc::ServerContext* context,
                                         const v1::RollbackModelRequest*,
                                         v1::RollbackModelResponse* response) {
  return AnswerUnimplemented(environment_, *context, "hydra.v1.ModelService/RollbackModel",
                             *response);
}

grpc::Status ModelService::UnloadModel(grpc::ServerContext* context, const v1::UnloadModelRequest*,
                                       v1::UnloadModelResponse* response) {
  return AnswerUnimplemented(environment_, *context, "hydra.v1.ModelService/UnloadModel",
                             *response);
}

}  // namespace hydra::rpc
