// The gRPC channel that every Hydra client uses.
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "client/cpp/options.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"

namespace hydra::client {

// Messages up to 64 MiB both ways, keepalive 60 s with 20 s for the answer, round-robin over all
// addresses, no retries of gRPC's own (Retrier decides) and no configuration from DNS.  Lazy: it
// connects with the first call.  `options` must be valid.
std::shared_ptr<grpc::Channel> MakeChannel(const Options& options);

// Deadline and credentials of one call.
void PrepareContext(const Options& options, absl::Duration remaining, grpc::ClientContext& context);

}  // namespace hydra::client
