// The one map from absl::Status to the wire.  absl's codes are gRPC's by number and stay what they
// are; the details of model/base/status_detail.h become google.rpc.Status details:
//   ErrorInfo   always; domain "hydra.dev"; the reason, or the code's name when there is none;
//               the metadata
//   BadRequest  when there are field violations
//   RetryInfo   when there is a retry delay
// Everything is made printable ASCII and cut so that the whole fits into 8 kB of headers, which is
// what peers accept by default.
#pragma once

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/status.h"

namespace hydra::rpc {

google::rpc::Status ToRpcStatus(const absl::Status& status);

// Carries ToRpcStatus as grpc-status-details-bin.
grpc::Status ToGrpcStatus(const absl::Status& status);

// Stock clients obey the trailer grpc-retry-pushback-ms when they retry RESOURCE_EXHAUSTED (gRFC
// A6).  Call before the call is finished.
void AddRetryPushback(const absl::Status& status, grpc::ServerContextBase& context);

}  // namespace hydra::rpc
