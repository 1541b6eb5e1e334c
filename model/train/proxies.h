// Inputs that look unlike the data, made from the data itself: training signals and stand-ins for
// out-of-distribution inputs where a user has none.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/base/rng.h"
#include "model/nn/input.h"

namespace hydra::train {

// `image`: [c, h, w] of any dtype.  Pixels beyond the last whole patch stay.
at::Tensor ShufflePatches(const at::Tensor& image, size_t patch, base::Rng& rng);

// The tokens between the first and the last, which are special, in random order.
std::vector<int64_t> ShuffleTokens(const std::vector<int64_t>& text, base::Rng& rng);

// The first half of one text and the second half of another.
std::vector<int64_t> JoinHalves(const std::vector<int64_t>& a, const std::vector<int64_t>& b);

// As many proxies as `batch` has inputs, by turns the input with its patches (or words) shuffled
// and half of it mixed with half of the next one: images as their mean, texts as halves joined.
nn::Input MakeProxies(const nn::Input& batch, size_t patch, base::Rng& rng);

}  // namespace hydra::train
