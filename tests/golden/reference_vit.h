// A ViT ensemble computed member by member in float64 with plain loops: an independent answer to
// compare the merged forward pass with.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "model/artifact/manifest.h"
#include "model/artifact/tensor_file.h"

namespace hydra::golden {

// `inputs`: [B, channels, height, width] row-major, after preprocessing.  Returns member logits
// [M, B, C].  For the families and plans of format version 1 with member_mode "full", pooling "cls"
// and one prefix token; ends the test program when a tensor is missing.
std::vector<float> ReferenceLogits(const artifact::Manifest& manifest,
                                   const artifact::TensorFile& weights,
                                   absl::Span<const float> inputs, size_t batch);

}  // namespace hydra::golden
