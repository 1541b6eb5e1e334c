// The one seam between LibTorch's exceptions and absl::Status.
#pragma once

#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::nn {

// Runs `body` and turns what it throws into a status whose message begins with `what`.
// Errors: RESOURCE_EXHAUSTED out of memory; INTERNAL any other exception, with LibTorch's first
// line.
absl::Status CatchTorchStatus(absl::string_view what, absl::FunctionRef<absl::Status()> body);

// The same for a function that returns a StatusOr or a plain value.
template <typename Body>
auto CatchTorch(absl::string_view what, Body&& body) {
  using Result = std::invoke_result_t<Body>;
  if constexpr (std::is_same_v<Result, absl::Status>) {
    return CatchTorchStatus(what, body);
  } else if constexpr (requires(Result result) { result.status(); }) {
    Result result = absl::UnknownError("not run");
    absl::Status status = CatchTorchStatus(what, [&] {
      result = body();
      return absl::OkStatus();
    });
    return status.ok() ? std::move(result) : Result(std::move(status));
  } else {
    absl::StatusOr<Result> result = absl::UnknownError("not run");
    absl::Status status = CatchTorchStatus(what, [&] {
      result = body();
      return absl::OkStatus();
    });
    return status.ok() ? std::move(result) : absl::StatusOr<Result>(std::move(status));
  }
}

}  // namespace hydra::nn
