// What a network reads: images, or texts as token ids.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace hydra::nn {

// B texts one after the other, without padding.
struct TokenBatch {
  at::Tensor ids;                // int64 [sum of lengths], each below the vocabulary
  std::vector<int64_t> lengths;  // [B], each 1..max_positions
};

// Images are float32 [B, channels, height, width], preprocessed.
using Input = std::variant<at::Tensor, TokenBatch>;

// B.
int64_t InputSize(const Input& input);

// Inputs begin..begin+count, sharing memory.
Input SliceInput(const Input& input, int64_t begin, int64_t count);

}  // namespace hydra::nn
