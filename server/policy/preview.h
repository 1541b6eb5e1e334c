// What a policy would do, before it is applied.
#pragma once

#include <cstddef>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/uncertainty/certificate.h"
#include "server/policy/policy.h"
#include "server/policy/reservoir.h"
#include "server/policy/served_bundle.h"

namespace hydra::policy {

struct LivePreview {
  size_t samples = 0;
  double coverage = 0.0;         // share that the policy accepts
  double active_coverage = 0.0;  // share that the active policy accepts
  double flipped = 0.0;          // share whose decision differs
};

struct Preview {
  Policy policy;
  std::optional<uncertainty::ThresholdFacts> certified;  // of a single score rule with a table
  size_t n = 0;                                          // rows of the certify split
  double delta = 0.0;                                    // of the bounds
  std::optional<LivePreview> live;                       // unset without samples
};

// Errors: INVALID_ARGUMENT delta outside (0, 1).
absl::StatusOr<Preview> PreviewPolicy(Policy policy, const Policy& active,
                                      const ServedBundle& bundle,
                                      absl::Span<const LiveSample> samples, double delta);

}  // namespace hydra::policy
