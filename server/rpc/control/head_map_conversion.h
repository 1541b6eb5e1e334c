// Which heads each member kept, as hydra.v1 says it.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "hydra/v1/head_map.pb.h"
#include "server/policy/served_bundle.h"

namespace hydra::rpc {

// From the manifest's plan and, where the bundle carries it, its head map.  `layers` empty: all.
// Errors: INVALID_ARGUMENT NO_SUCH_LAYER.
absl::StatusOr<v1::GetHeadMapResponse> MakeHeadMap(const policy::ServedBundle& bundle,
                                                   absl::Span<const uint32_t> layers);

}  // namespace hydra::rpc
