// Whether rules make sense for a bundle.
#pragma once

#include "absl/status/status.h"
#include "server/policy/policy.h"
#include "server/policy/served_bundle.h"

namespace hydra::policy {

// Errors: INVALID_ARGUMENT BAD_POLICY with the field: a threshold that is not finite, a score twice
// or one that compares members when there is one, a set size outside 1..C, an alpha that the bundle
// was not calibrated for, a class outside 0..C-1 or out of order.
absl::Status CheckRules(const Rules& rules, const ServedBundle& bundle);

// INVALID_ARGUMENT BAD_POLICY about `field`, whose message is `field`: `problem`.
absl::Status BadPolicy(absl::string_view field, absl::string_view problem);

}  // namespace hydra::policy
