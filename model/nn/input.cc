#include "model/nn/input.h"

#include <numeric>

namespace hydra::nn {

int64_t InputSize(const Input& input) {
  if (const auto* images = std::get_if<at::Tensor>(&input)) return images->size(0);
  return static_cast<int64_t>(std::get<TokenBatch>(input).lengths.size());
}

Input SliceInput(const Input& input, int64_t begin, int64_t count) {
  if (const auto* images = std::get_if<at::Tensor>(&input)) return images->narrow(0, begin, count);
  const auto& texts = std::get<TokenBatch>(input);
  const auto first = texts.lengths.begin() + begin;
  TokenBatch slice{.lengths = {first, first + count}};
  const int64_t before = std::accumulate(texts.lengths.begin(), first, int64_t{0});
  const int64_t rows = std::accumulate(first, first + count, int64_t{0});
  slice.ids = texts.ids.narrow(0, before, rows);
  return slice;
}

}  // namespace hydra::nn
