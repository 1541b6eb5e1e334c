// The client's one conversion of errors from the wire.
#pragma once

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace hydra::client {

// Code and message are kept.  google.rpc details are read with model/base/status_detail.h:
// ErrorInfo by ReasonOf and MetadataOf, BadRequest by FieldViolationsOf, RetryInfo by RetryDelayOf.
// A detail that does not parse is left out, and so is a negative retry delay, which means "do not
// retry".
absl::Status StatusFromGrpc(const grpc::Status& status);

// The same for a call that nobody cancelled on this side: the server attaches details to each error
// it makes, so CANCELLED without details means a connection that was closing, UNAVAILABLE.
absl::Status StatusOfUncancelledCall(const grpc::Status& status);

}  // namespace hydra::client
