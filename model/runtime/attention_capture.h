// Attention of chosen heads of a merged network.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/nn/input.h"
#include "model/nn/network.h"
#include "model/runtime/head_attention.h"

namespace hydra::runtime {

// One forward pass of `input`, which is one image or text; an answer for each query, in order.
// Throws as nn::Forward; call it inside CatchTorch.
// Errors: INVALID_ARGUMENT a layer or member out of range, or a head that the member does not keep;
// UNIMPLEMENTED members that are readers.
absl::StatusOr<std::vector<HeadAttention>> CaptureAttention(const nn::Network& network,
                                                            const nn::Input& input,
                                                            absl::Span<const HeadQuery> queries);

}  // namespace hydra::runtime
