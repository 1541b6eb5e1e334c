#include "server/rpc/control/head_map_service.h"

#include <memory>

#include "model/base/status_macros.h"
#include "server/rpc/control/head_map_conversion.h"
#include "server/rpc/control/model_service.h"

namespace hydra::rpc {

absl::StatusOr<v1::GetHeadMapResponse> HeadMapService::Get(const v1::GetHeadMapRequest& request) {
  const std::shared_ptr<const policy::Snapshot> snapshot = environment_.keeper.Current();
  HYDRA_RETURN_IF_ERROR(CheckModelName(request.model(), *snapshot->bundle));
  return MakeHeadMap(*snapshot->bundle, request.layers());
}

grpc::Status HeadMapService::GetHeadMap(grpc::ServerContext* context,
                                        const v1::GetHeadMapRequest* request,
                                        v1::GetHeadMapResponse* response) {
  return Answer(environment_, *context, "hydra.v1.HeadMapService/GetHeadMap", *response,
                [&] { return Get(*request); });
}

grpc::Status HeadMapService::ExplainHeads(grpc::ServerContext* context,
                                          const v1::ExplainHeadsRequest* request,
                                          v1::ExplainHeadsResponse* response) {
  return Answer(environment_, *context, "hydra.v1.HeadMapService/ExplainHeads", *response,
                [&] { return explainer_.Explain(*context, *request); });
}

}  // namespace hydra::rpc
