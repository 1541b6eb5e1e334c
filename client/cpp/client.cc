#include "client/cpp/client.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::client {
namespace {

constexpr size_t kMaxPageSize = 1000;

}  // namespace

absl::StatusOr<Client> Client::Create(const Options& options) {
  HYDRA_ASSIGN_OR_RETURN(std::shared_ptr<Connection> connection, MakeConnection(options));
  return Client(std::move(connection));
}

Client::Client(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

absl::StatusOr<v1::PredictResponse> Client::Predict(const v1::PredictRequest& request,
                                                    const CallOptions& call) {
  HYDRA_ASSIGN_OR_RETURN(v1::PredictResponse response, connection_->Predict(request, call));
  if (response.predictions_size() != request.instances_size()) {
    return absl::InternalError(absl::StrCat("server answered ", response.predictions_size(),
                                            " predictions, want ", request.instances_size(),
                                            ", one for each instance"));
  }
  return response;
}

absl::StatusOr<v1::Policy> Client::GetPolicy(const CallOptions& call) {
  HYDRA_ASSIGN_OR_RETURN(v1::GetPolicyResponse response, connection_->GetPolicy({}, call));
  return std::move(*response.mutable_policy());
}

absl::StatusOr<v1::UpdatePolicyResponse> Client::UpdatePolicy(
    const v1::UpdatePolicyRequest& request, const CallOptions& call) {
  return connection_->UpdatePolicy(request, call);
}

absl::StatusOr<v1::PreviewPolicyResponse> Client::PreviewPolicy(
    const v1::PreviewPolicyRequest& request, const CallOptions& call) {
  return connection_->PreviewPolicy(request, call);
}

absl::StatusOr<std::vector<v1::Policy>> Client::ListPolicyRevisions(size_t limit,
                                                                    const CallOptions& call) {
  std::vector<v1::Policy> policies;
  v1::ListPolicyRevisionsRequest request;
  while (policies.size() < limit) {
    request.set_page_size(static_cast<uint32_t>(std::min(limit - policies.size(), kMaxPageSize)));
    HYDRA_ASSIGN_OR_RETURN(v1::ListPolicyRevisionsResponse page,
                           connection_->ListPolicyRevisions(request, call));
    for (v1::Policy& policy : *page.mutable_policies()) {
      if (policies.size() < limit) policies.push_back(std::move(policy));
    }
    // A page without content or progress would go on for ever.
    if (page.next_page_token().empty() || page.policies().empty()) break;
    request.set_page_token(page.next_page_token());
  }
  return policies;
}

absl::StatusOr<v1::RollbackPolicyResponse> Client::RollbackPolicy(
    const v1::RollbackPolicyRequest& request, const CallOptions& call) {
  return connection_->RollbackPolicy(request, call);
}

absl::StatusOr<v1::GetHeadMapResponse> Client::GetHeadMap(const std::string& model,
                                                          absl::Span<const uint32_t> layers,
                                                          const CallOptions& call) {
  v1::GetHeadMapRequest request;
  request.set_model(model);
  request.mutable_layers()->Add(layers.begin(), layers.end());
  return connection_->GetHeadMap(request, call);
}

absl::StatusOr<v1::ExplainHeadsResponse> Client::ExplainHeads(
    const v1::ExplainHeadsRequest& request, const CallOptions& call) {
  HYDRA_ASSIGN_OR_RETURN(v1::ExplainHeadsResponse response,
                         connection_->ExplainHeads(request, call));
  if (response.explanations_size() != request.heads_size()) {
    return absl::InternalError(absl::StrCat("the server explained ", response.explanations_size(),
                                            " heads, want ", request.heads_size()));
  }
  return response;
}

absl::StatusOr<v1::Model> Client::GetModel(const std::string& name, const CallOptions& call) {
  v1::GetModelRequest request;
  request.set_name(name);
  HYDRA_ASSIGN_OR_RETURN(v1::GetModelResponse response, connection_->GetModel(request, call));
  return std::move(*response.mutable_model());
}

absl::StatusOr<grpc::health::v1::HealthCheckResponse::ServingStatus> Client::CheckHealth(
    const std::string& service, const CallOptions& call) {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  HYDRA_ASSIGN_OR_RETURN(grpc::health::v1::HealthCheckResponse response,
                         connection_->CheckHealth(request, call));
  return response.status();
}

}  // namespace hydra::client
