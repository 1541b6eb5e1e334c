// What a refusal says beyond its code, in the form in which callers use it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/support/status.h"

namespace hydra::client {

// One wrong field of a request.
struct FieldViolation {
  std::string field;  // "instances[3].image"
  std::string description;
};

struct ErrorDetails {
  std::string reason;  // UPPER_SNAKE, stable; empty when the server gave none
  std::string domain;
  std::map<std::string, std::string> metadata;  // what varies in the message
  std::vector<FieldViolation> violations;
  std::optional<absl::Duration> retry_delay;  // set when a retry after it may help
};

// The one conversion of gRPC's status.  Code and message are kept; every google.rpc detail becomes
// a payload under its type URL.  Details that do not parse are left out, the error itself never is.
absl::Status StatusFromGrpc(const grpc::Status& status);

// The details in `status`'s payloads; all empty for a status that did not come from a server.
ErrorDetails DetailsOf(const absl::Status& status);

}  // namespace hydra::client
