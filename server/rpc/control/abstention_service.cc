#include "server/rpc/control/abstention_service.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "server/rpc/control/paging.h"
#include "server/rpc/control/policy_conversion.h"

namespace hydra::rpc {
namespace {

policy::Mode ModeOf(bool validate_only) {
  return validate_only ? policy::Mode::kValidateOnly : policy::Mode::kApply;
}

}  // namespace

void AbstentionService::Announce(const policy::Policy& policy, policy::Mode mode) {
  if (mode == policy::Mode::kApply) environment_.observer.OnPolicyChange(policy);
}

absl::StatusOr<v1::UpdatePolicyResponse> AbstentionService::Update(
    const grpc::ServerContext& context, const v1::UpdatePolicyRequest& request) {
  HYDRA_ASSIGN_OR_RETURN(const std::string author,
                         environment_.authorizer.AuthorizeChange(context));
  HYDRA_ASSIGN_OR_RETURN(const policy::Change change,
                         ChangeFromProto(request.policy(), request.update_mask()));
  const policy::Mode mode = ModeOf(request.validate_only());
  const absl::StatusOr<policy::Policy> policy = environment_.keeper.Update(
      change, {.etag = request.policy().etag(), .author = author, .mode = mode});
  if (!policy.ok()) return WithPathPrefix(policy.status(), "policy.");
  Announce(*policy, mode);
  v1::UpdatePolicyResponse response;
  *response.mutable_policy() = ToProto(*policy);
  response.set_applied(mode == policy::Mode::kApply);
  return response;
}

absl::StatusOr<v1::PreviewPolicyResponse> AbstentionService::Preview(
    const v1::PreviewPolicyRequest& request) {
  HYDRA_ASSIGN_OR_RETURN(const policy::Change change, ChangeFromProto(request));
  std::optional<double> delta;
  if (request.delta() != 0.0) delta = request.delta();
  HYDRA_ASSIGN_OR_RETURN(const policy::Preview preview,
                         environment_.keeper.PreviewChange(change, delta));
  return ToProto(preview);
}

absl::StatusOr<v1::ListPolicyRevisionsResponse> AbstentionService::List(
    const v1::ListPolicyRevisionsRequest& request) {
  const std::vector<policy::Policy> revisions = environment_.keeper.Revisions();
  HYDRA_ASSIGN_OR_RETURN(const Page page,
                         FindPage(request.page_size(), request.page_token(), revisions.size()));
  v1::ListPolicyRevisionsResponse response;
  for (size_t i = page.begin; i < page.end; ++i) *response.add_policies() = ToProto(revisions[i]);
  response.set_next_page_token(page.next_token);
  return response;
}

absl::StatusOr<v1::RollbackPolicyResponse> AbstentionService::Rollback(
    const grpc::ServerContext& context, const v1::RollbackPolicyRequest& request) {
  HYDRA_ASSIGN_OR_RETURN(const std::string author,
                         environment_.authorizer.AuthorizeChange(context));
  std::optional<uint64_t> revision;
  if (request.revision() != 0) revision = request.revision();
  const policy::Mode mode = ModeOf(request.validate_only());
  HYDRA_ASSIGN_OR_RETURN(const policy::Policy policy,
                         environment_.keeper.Rollback(
                             revision, {.etag = request.etag(), .author = author, .mode = mode}));
  Announce(policy, mode);
  v1::RollbackPolicyResponse response;
  *response.mutable_policy() = ToProto(policy);
  response.set_applied(mode == policy::Mode::kApply);
  return response;
}

grpc::Status AbstentionService::GetPolicy(grpc::ServerContext* context, const v1::GetPolicyRequest*,
                                          v1::GetPolicyResponse* response) {
  return Answer(environment_, *context, "hydra.v1.AbstentionService/GetPolicy", *response,
                [this]() -> absl::StatusOr<v1::GetPolicyResponse> {
                  v1::GetPolicyResponse made;
                  *made.mutable_policy() = ToProto(environment_.keeper.Current()->policy);
                  return made;
                });
}

grpc::Status AbstentionService::UpdatePolicy(grpc::ServerContext* context,
                                             const v1::UpdatePolicyRequest* request,
                                             v1::UpdatePolicyResponse* response) {
  return Answer(environment_, *context, "hydra.v1.AbstentionService/UpdatePolicy", *response,
                [&] { return Update(*context, *request); });
}

grpc::Status AbstentionService::PreviewPolicy(grpc::ServerContext* context,
                                              const v1::PreviewPolicyRequest* request,
                                              v1::PreviewPolicyResponse* response) {
  return Answer(environment_, *context, "hydra.v1.AbstentionService/PreviewPolicy", *response,
                [&] { return Preview(*request); });
}

grpc::Status AbstentionService::ListPolicyRevisions(grpc::ServerContext* context,
                                                    const v1::ListPolicyRevisionsRequest* request,
                                                    v1::ListPolicyRevisionsResponse* response) {
  return Answer(environment_, *context, "hydra.v1.AbstentionService/ListPolicyRevisions", *response,
                [&] { return List(*request); });
}

grpc::Status AbstentionService::RollbackPolicy(grpc::ServerContext* context,
                                               const v1::RollbackPolicyRequest* request,
                                               v1::RollbackPolicyResponse* response) {
  return Answer(environment_, *context, "hydra.v1.AbstentionService/RollbackPolicy", *response,
                [&] { return Rollback(*context, *request); });
}

}  // namespace hydra::rpc
