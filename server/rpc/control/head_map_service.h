// hydra.v1.HeadMapService: which heads the members kept, and what they look at.
#pragma once

#include "grpcpp/server_context.h"
#include "grpcpp/support/status.h"
#include "hydra/v1/head_map.grpc.pb.h"
#include "server/rpc/control/head_explainer.h"
#include "server/rpc/predict/call_environment.h"
#include "server/rpc/wire/handler.h"

namespace hydra::rpc {

// Thread-safe.  Both environments outlive it.
class HeadMapService final : public v1::HeadMapService::Service {
 public:
  HeadMapService(const ControlEnvironment& environment, const CallEnvironment& calls)
      : environment_(environment), explainer_(calls) {}

  grpc::Status GetHeadMap(grpc::ServerContext* context, const v1::GetHeadMapRequest* request,
                          v1::GetHeadMapResponse* response) override;
  grpc::Status ExplainHeads(grpc::ServerContext* context, const v1::ExplainHeadsRequest* request,
                            v1::ExplainHeadsResponse* response) override;

 private:
  absl::StatusOr<v1::GetHeadMapResponse> Get(const v1::GetHeadMapRequest& request);

  const ControlEnvironment& environment_;
  HeadExplainer explainer_;
};

}  // namespace hydra::rpc
