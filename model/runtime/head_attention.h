// What one head looks at in one input.  Torch-free.
#pragma once

#include <cstddef>
#include <vector>

namespace hydra::runtime {

// One head of one member; `head` is the base's, whatever place it has in the merged network.
struct HeadQuery {
  size_t layer = 0;
  size_t head = 0;
  size_t member = 0;

  bool operator==(const HeadQuery&) const = default;
};

struct HeadAttention {
  size_t tokens = 0;                 // T
  std::vector<float> probabilities;  // [T, T] (query x key) row-major, rows sum to 1
};

}  // namespace hydra::runtime
