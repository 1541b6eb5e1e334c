// The application's door to a Hydra server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/cpp/connection.h"

namespace hydra::client {

// Cheap to copy; copies share one connection.  Thread-safe.  Tests hand in a Connection of their
// own.  Errors of every call: see Connection.
//
//   auto client = hydra::client::Client::Create({.endpoint = "dns:///hydra-headless:8001"});
//   auto answer = client->Predict(request, {.timeout = absl::Milliseconds(200)});
//   if (answer->predictions(0).decision().outcome() == hydra::v1::DECISION_OUTCOME_ABSTAINED) ...
class Client {
 public:
  // Errors: INVALID_ARGUMENT, as Validate(options).  Whether a server answers shows in the first
  // call.
  static absl::StatusOr<Client> Create(const Options& options);

  explicit Client(std::shared_ptr<Connection> connection);

  // An abstention is a successful answer: look at `decision` before `top`.
  absl::StatusOr<v1::PredictResponse> Predict(const v1::PredictRequest& request,
                                              const CallOptions& call = {});

  absl::StatusOr<v1::Policy> GetPolicy(const CallOptions& call = {});
  absl::StatusOr<v1::UpdatePolicyResponse> UpdatePolicy(const v1::UpdatePolicyRequest& request,
                                                        const CallOptions& call = {});
  absl::StatusOr<v1::PreviewPolicyResponse> PreviewPolicy(const v1::PreviewPolicyRequest& request,
                                                          const CallOptions& call = {});
  // At most `limit` policies, newest first; asks for as many pages as that takes.
  absl::StatusOr<std::vector<v1::Policy>> ListPolicyRevisions(size_t limit,
                                                              const CallOptions& call = {});
  absl::StatusOr<v1::RollbackPolicyResponse> RollbackPolicy(
      const v1::RollbackPolicyRequest& request, const CallOptions& call = {});

  // `model`: name or digest, empty for the active one.  `layers`: empty for all.
  absl::StatusOr<v1::GetHeadMapResponse> GetHeadMap(const std::string& model,
                                                    absl::Span<const uint32_t> layers = {},
                                                    const CallOptions& call = {});
  // Errors beside Connection's: INTERNAL the server answered another number of heads.
  absl::StatusOr<v1::ExplainHeadsResponse> ExplainHeads(const v1::ExplainHeadsRequest& request,
                                                        const CallOptions& call = {});
  absl::StatusOr<v1::Model> GetModel(const std::string& name, const CallOptions& call = {});

  // `service`: full name such as "hydra.v1.PredictionService", empty for the server as a whole.
  // Errors: NOT_FOUND the server does not know the service.
  absl::StatusOr<grpc::health::v1::HealthCheckResponse::ServingStatus> CheckHealth(
      const std::string& service, const CallOptions& call = {});

 private:
  std::shared_ptr<Connection> connection_;  // shared by the copies of this client
};

}  // namespace hydra::client
