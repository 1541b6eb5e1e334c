// Early return for absl::Status and absl::StatusOr.  Debian's Abseil has no status_macros.h.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define HYDRA_CONCAT_INNER(a, b) a##b
#define HYDRA_CONCAT(a, b) HYDRA_CONCAT_INNER(a, b)

// Returns from the enclosing function when `expression` (an absl::Status) is not OK.
#define HYDRA_RETURN_IF_ERROR(expression) \
  HYDRA_RETURN_IF_ERROR_INNER(HYDRA_CONCAT(hydra_status_, __LINE__), expression)
#define HYDRA_RETURN_IF_ERROR_INNER(status, expression)     \
  do {                                                      \
    if (absl::Status status = (expression); !status.ok()) { \
      return status;                                        \
    }                                                       \
  } while (false)

// Assigns the value of `expression` (an absl::StatusOr) to `target`, or returns its status.
#define HYDRA_ASSIGN_OR_RETURN(target, expression) \
  HYDRA_ASSIGN_OR_RETURN_INNER(HYDRA_CONCAT(hydra_result_, __LINE__), target, expression)
#define HYDRA_ASSIGN_OR_RETURN_INNER(result, target, expression) \
  auto result = (expression);                                    \
  if (!result.ok()) {                                            \
    return std::move(result).status();                           \
  }                                                              \
  target = std::move(result).value()
