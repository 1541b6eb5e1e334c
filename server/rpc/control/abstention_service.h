// hydra.v1.AbstentionService.
#pragma once

#include "grpcpp/server_context.h"
#include "grpcpp/support/status.h"
#include "hydra/v1/abstention.grpc.pb.h"
#include "server/rpc/wire/handler.h"

namespace hydra::rpc {

// Thread-safe.  `environment` outlives it.
class AbstentionService final : public v1::AbstentionService::Service {
 public:
  explicit AbstentionService(const ControlEnvironment& environment) : environment_(environment) {}

  grpc::Status GetPolicy(grpc::ServerContext* context, const v1::GetPolicyRequest* request,
                         v1::GetPolicyResponse* response) override;
  grpc::Status UpdatePolicy(grpc::ServerContext* context, const v1::UpdatePolicyRequest* request,
                            v1::UpdatePolicyResponse* response) override;
  grpc::Status PreviewPolicy(grpc::ServerContext* context, const v1::PreviewPolicyRequest* request,
                             v1::PreviewPolicyResponse* response) override;
  grpc::Status ListPolicyRevisions(grpc::ServerContext* context,
                                   const v1::ListPolicyRevisionsRequest* request,
                                   v1::ListPolicyRevisionsResponse* response) override;
  grpc::Status RollbackPolicy(grpc::ServerContext* context,
                              const v1::RollbackPolicyRequest* request,
                              v1::RollbackPolicyResponse* response) override;

 private:
  absl::StatusOr<v1::UpdatePolicyResponse> Update(const grpc::ServerContext& context,
                                                  const v1::UpdatePolicyRequest& request);
  absl::StatusOr<v1::PreviewPolicyResponse> Preview(const v1::PreviewPolicyRequest& request);
  absl::StatusOr<v1::ListPolicyRevisionsResponse> List(
      const v1::ListPolicyRevisionsRequest& request);
  absl::StatusOr<v1::RollbackPolicyResponse> Rollback(const grpc::ServerContext& context,
                                                      const v1::RollbackPolicyRequest& request);
  void Announce(const policy::Policy& policy, policy::Mode mode);

  const ControlEnvironment& environment_;
};

}  // namespace hydra::rpc
