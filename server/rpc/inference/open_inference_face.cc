#include "server/rpc/inference/open_inference_face.h"

#include <memory>

#include "model/base/status_macros.h"

namespace hydra::rpc {
namespace {

constexpr char kServerName[] = "hydra-server";

}  // namespace

grpc::Status OpenInferenceService::ServerLive(grpc::ServerContext* context,
                                              const inference::ServerLiveRequest*,
                                              inference::ServerLiveResponse* response) {
  return Answer(environment_, *context, "inference.GRPCInferenceService/ServerLive", *response,
                []() -> absl::StatusOr<inference::ServerLiveResponse> {
                  inference::ServerLiveResponse made;
                  made.set_live(true);
                  return made;
                });
}

grpc::Status OpenInferenceService::ServerReady(grpc::ServerContext* context,
                                               const inference::ServerReadyRequest*,
                                               inference::ServerReadyResponse* response) {
  return Answer(environment_, *context, "inference.GRPCInferenceService/ServerReady", *response,
                [this]() -> absl::StatusOr<inference::ServerReadyResponse> {
                  inference::ServerReadyResponse made;
                  made.set_ready(ready_);
                  return made;
                });
}

grpc::Status OpenInferenceService::ModelReady(grpc::ServerContext* context,
                                              const inference::ModelReadyRequest* request,
                                              inference::ModelReadyResponse* response) {
  return Answer(environment_, *context, "inference.GRPCInferenceService/ModelReady", *response,
                [&]() -> absl::StatusOr<inference::ModelReadyResponse> {
                  HYDRA_RETURN_IF_ERROR(CheckModel(request->name(), request->version(),
                                                   *environment_.keeper.Current()->bundle));
                  inference::ModelReadyResponse made;
                  made.set_ready(ready_);
                  return made;
                });
}

grpc::Status OpenInferenceService::ServerMetadata(grpc::ServerContext* context,
                                                  const inference::ServerMetadataRequest*,
                                                  inference::ServerMetadataResponse* response) {
  return Answer(environment_, *context, "inference.GRPCInferenceService/ServerMetadata", *response,
                [this]() -> absl::StatusOr<inference::ServerMetadataResponse> {
                  inference::ServerMetadataResponse made;
                  made.set_name(kServerName);
                  made.set_version(version_);
                  return made;
                });
}

grpc::Status OpenInferenceService::ModelMetadata(grpc::ServerContext* context,
                                                 const inference::ModelMetadataRequest* request,
                                                 inference::ModelMetadataResponse* response) {
  return Answer(
      environment_, *context, "inference.GRPCInferenceService/ModelMetadata", *response,
      [&]() -> absl::StatusOr<inference::ModelMetadataResponse> {
        const auto snapshot = environment_.keeper.Current();
        HYDRA_RETURN_IF_ERROR(CheckModel(request->name(), request->version(), *snapshot->bundle));
        return MakeModelMetadata(*snapshot->bundle);
      });
}

}  // namespace hydra::rpc
