// hydra.v1.HeadMapService.  ExplainHeads comes later.
#pragma once

#include "grpcpp/server_context.h"
#include "grpcpp/support/status.h"
#include "hydra/v1/head_map.grpc.pb.h"
#include "server/rpc/wire/handler.h"

namespace hydra::rpc {

// Thread-safe.  `environment` outlives it.
class HeadMapService final : public v1::HeadMapService::Service {
 public:
  explicit HeadMapService(const ControlEnvironment& environment) : environment_(environment) {}

  grpc::Status GetHeadMap(grpc::ServerContext* context, const v1::GetHeadMapRequest* request,
                          v1::GetHeadMapResponse* response) override;
  grpc::Status ExplainHeads(grpc::ServerContext* context, const v1::ExplainHeadsRequest* request,
                            v1::ExplainHeadsResponse* response) override;

 private:
  absl::StatusOr<v1::GetHeadMapResponse> Get(const v1::GetHeadMapRequest& request);

  const ControlEnvironment& environment_;
};

}  // namespace hydra::rpc
