// What every synchronous handler shares: one way in, one way out.
#pragma once

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/status.h"
#include "model/base/clock.h"
#include "server/policy/keeper.h"
#include "server/rpc/wire/authorizer.h"
#include "server/rpc/wire/observer.h"
#include "server/rpc/wire/status_conversion.h"

namespace hydra::rpc {

// The members outlive every call.  Thread-safe.
struct ControlEnvironment {
  policy::Keeper& keeper;
  const Authorizer& authorizer;
  const base::Clock& clock;
  Observer& observer;
};

// Runs `make`, a function from nothing to absl::StatusOr<Response>, as the answer to one call.
// `method`: "hydra.v1.ModelService/GetModel".
template <typename Response, typename Make>
grpc::Status Answer(const ControlEnvironment& environment, grpc::ServerContext& context,
                    absl::string_view method, Response& response, Make make) {
  const absl::Time start = environment.clock.MonotonicNow();
  absl::StatusOr<Response> made = make();
  AddRetryPushback(made.status(), context);
  environment.observer.OnCall({.method = method,
                               .status = made.status(),
                               .duration = environment.clock.MonotonicNow() - start});
  if (!made.ok()) return ToGrpcStatus(made.status());
  response = *std::move(made);
  return grpc::Status::OK;
}

// For methods whose turn comes later.
template <typename Response>
grpc::Status AnswerUnimplemented(const ControlEnvironment& environment,
                                 grpc::ServerContext& context, absl::string_view method,
                                 Response& response) {
  return Answer(environment, context, method, response, [method]() -> absl::StatusOr<Response> {
    return absl::UnimplementedError(std::string(method) + " is not implemented");
  });
}

}  // namespace hydra::rpc
