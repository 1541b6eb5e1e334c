// A server that a client's test scripts without a network.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "client/cpp/connection.h"

namespace hydra::fakes {

// Each call goes to the function of its name; one that was not set answers UNIMPLEMENTED.
class FakeConnection final : public client::Connection {
 public:
  template <typename Request, typename Response>
  using Handler = std::function<absl::StatusOr<Response>(const Request&)>;

  Handler<v1::PredictRequest, v1::PredictResponse> predict;
  Handler<v1::GetPolicyRequest, v1::GetPolicyResponse> get_policy;
  Handler<v1::UpdatePolicyRequest, v1::UpdatePolicyResponse> update_policy;
  Handler<v1::PreviewPolicyRequest, v1::PreviewPolicyResponse> preview_policy;
  Handler<v1::ListPolicyRevisionsRequest, v1::ListPolicyRevisionsResponse> list_revisions;
  Handler<v1::RollbackPolicyRequest, v1::RollbackPolicyResponse> rollback_policy;
  Handler<v1::GetHeadMapRequest, v1::GetHeadMapResponse> get_head_map;
  Handler<v1::ExplainHeadsRequest, v1::ExplainHeadsResponse> explain_heads;
  Handler<v1::GetModelRequest, v1::GetModelResponse> get_model;
  Handler<grpc::health::v1::HealthCheckRequest, grpc::health::v1::HealthCheckResponse> check_health;

  absl::StatusOr<v1::PredictResponse> Predict(const v1::PredictRequest& request,
                                              const client::CallOptions&) override {
    return Answer(predict, request);
  }
  absl::StatusOr<v1::GetPolicyResponse> GetPolicy(const v1::GetPolicyRequest& request,
                                                  const client::CallOptions&) override {
    return Answer(get_policy, request);
  }
  absl::StatusOr<v1::UpdatePolicyResponse> UpdatePolicy(const v1::UpdatePolicyRequest& request,
                                                        const client::CallOptions&) override {
    return Answer(update_policy, request);
  }
  absl::StatusOr<v1::PreviewPolicyResponse> PreviewPolicy(const v1::PreviewPolicyRequest& request,
                                                          const client::CallOptions&) override {
    return Answer(preview_policy, request);
  }
  absl::StatusOr<v1::ListPolicyRevisionsResponse> ListPolicyRevisions(
      const v1::ListPolicyRevisionsRequest& request, const client::CallOptions&) override {
    return Answer(list_revisions, request);
  }
  absl::StatusOr<v1::RollbackPolicyResponse> RollbackPolicy(
      const v1::RollbackPolicyRequest& request, const client::CallOptions&) override {
    return Answer(rollback_policy, request);
  }
  absl::StatusOr<v1::GetHeadMapResponse> GetHeadMap(const v1::GetHeadMapRequest& request,
                                                    const client::CallOptions&) override {
    return Answer(get_head_map, request);
  }
  absl::StatusOr<v1::ExplainHeadsResponse> ExplainHeads(const v1::ExplainHeadsRequest& request,
                                                        const client::CallOptions&) override {
    return Answer(explain_heads, request);
  }
  absl::StatusOr<v1::GetModelResponse> GetModel(const v1::GetModelRequest& request,
                                                const client::CallOptions&) override {
    return Answer(get_model, request);
  }
  absl::StatusOr<grpc::health::v1::HealthCheckResponse> CheckHealth(
      const grpc::health::v1::HealthCheckRequest& request, const client::CallOptions&) override {
    return Answer(check_health, request);
  }

 private:
  template <typename Request, typename Response>
  static absl::StatusOr<Response> Answer(const Handler<Request, Response>& handler,
                                         const Request& request) {
    if (handler == nullptr) return absl::UnimplementedError("the test scripted no answer");
    return handler(request);
  }
};

}  // namespace hydra::fakes
