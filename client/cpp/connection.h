// One virtual function an RPC: where the real client meets a network and a test's client a fake.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "client/cpp/options.h"
#include "grpc/health/v1/health.pb.h"
#include "hydra/v1/abstention.pb.h"
#include "hydra/v1/head_map.pb.h"
#include "hydra/v1/model.pb.h"
#include "hydra/v1/prediction.pb.h"
#include "model/base/clock.h"

namespace hydra::client {

// Thread-safe.  Errors: the server's own code and message with its details (StatusFromGrpc);
// UNAVAILABLE when no server could be reached; DEADLINE_EXCEEDED when the call's time is over;
// INVALID_ARGUMENT when a CallOptions::timeout is outside its range.
class Connection {
 public:
  virtual ~Connection() = default;

  virtual absl::StatusOr<v1::PredictResponse> Predict(const v1::PredictRequest& request,
                                                      const CallOptions& call) = 0;
  virtual absl::StatusOr<v1::GetPolicyResponse> GetPolicy(const v1::GetPolicyRequest& request,
                                                          const CallOptions& call) = 0;
  // Sent once, unless the policy carries an etag or `validate_only` is set: then it is retried like
  // a read.  ABORTED after a lost answer can mean that the change itself was applied.
  virtual absl::StatusOr<v1::UpdatePolicyResponse> UpdatePolicy(
      const v1::UpdatePolicyRequest& request, const CallOptions& call) = 0;
  virtual absl::StatusOr<v1::PreviewPolicyResponse> PreviewPolicy(
      const v1::PreviewPolicyRequest& request, const CallOptions& call) = 0;
  virtual absl::StatusOr<v1::ListPolicyRevisionsResponse> ListPolicyRevisions(
      const v1::ListPolicyRevisionsRequest& request, const CallOptions& call) = 0;
  // Retried as UpdatePolicy is.
  virtual absl::StatusOr<v1::RollbackPolicyResponse> RollbackPolicy(
      const v1::RollbackPolicyRequest& request, const CallOptions& call) = 0;
  virtual absl::StatusOr<v1::GetHeadMapResponse> GetHeadMap(const v1::GetHeadMapRequest& request,
                                                            const CallOptions& call) = 0;
  virtual absl::StatusOr<v1::ExplainHeadsResponse> ExplainHeads(
      const v1::ExplainHeadsRequest& request, const CallOptions& call) = 0;
  virtual absl::StatusOr<v1::GetModelResponse> GetModel(const v1::GetModelRequest& request,
                                                        const CallOptions& call) = 0;
  virtual absl::StatusOr<grpc::health::v1::HealthCheckResponse> CheckHealth(
      const grpc::health::v1::HealthCheckRequest& request, const CallOptions& call) = 0;
};

// What a test replaces to make retries instant.  Both must outlive the connection.
struct ConnectionDeps {
  const base::Clock& clock;
  Sleeper& sleeper;
};

// Connects lazily.  Errors: INVALID_ARGUMENT, as Validate(options).
absl::StatusOr<std::shared_ptr<Connection>> MakeConnection(const Options& options,
                                                           ConnectionDeps deps);

// With the real clock and real waiting.
absl::StatusOr<std::shared_ptr<Connection>> MakeConnection(const Options& options);

}  // namespace hydra::client
