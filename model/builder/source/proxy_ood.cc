#include "model/builder/source/proxy_ood.h"

#include <vector>

#include "model/base/rng.h"

namespace hydra::builder {
namespace {

// `image`: [c, h, w].  Patches beyond the last whole one stay.
at::Tensor ShufflePatches(const at::Tensor& image, int64_t patch, base::Rng& rng) {
  const int64_t columns = image.size(2) / patch;
  const auto count = static_cast<size_t>((image.size(1) / patch) * columns);
  const std::vector<size_t> order = rng.Permutation(count);
  at::Tensor shuffled = image.clone();
  for (size_t to = 0; to < count; ++to) {
    const auto from_row = static_cast<int64_t>(order[to]) / columns;
    const auto from_column = static_cast<int64_t>(order[to]) % columns;
    const auto to_row = static_cast<int64_t>(to) / columns;
    const auto to_column = static_cast<int64_t>(to) % columns;
    shuffled.narrow(1, to_row * patch, patch)
        .narrow(2, to_column * patch, patch)
        .copy_(image.narrow(1, from_row * patch, patch).narrow(2, from_column * patch, patch));
  }
  return shuffled;
}

at::Tensor MixEvenly(const at::Tensor& a, const at::Tensor& b) {
  return ((a.to(at::kInt) + b.to(at::kInt)) / 2).to(at::kByte);
}

at::Tensor TurnAndInvert(const at::Tensor& image, base::Rng& rng) {
  const bool square = image.size(1) == image.size(2);
  const int64_t quarters = square ? 1 + 2 * static_cast<int64_t>(rng.UniformBelow(2)) : 2;
  return 255 - at::rot90(image, quarters, {1, 2});
}

}  // namespace

LabelledData MakeProxyOod(const LabelledData& data, size_t patch_size, uint64_t seed) {
  base::Rng rng = base::Rng::ForPurpose(seed, "proxy out-of-distribution images");
  LabelledData proxies{.examples = data.examples, .digests = {}, .label_names = {}};
  proxies.examples.labels = at::Tensor();
  proxies.examples.pixels = at::empty_like(data.examples.pixels);
  const size_t n = data.examples.size();
  for (size_t i = 0; i < n; ++i) {
    const auto row = static_cast<int64_t>(i);
    const at::Tensor image = data.examples.pixels[row];
    const auto other = static_cast<int64_t>((i + 1 + rng.UniformBelow(n)) % n);
    const at::Tensor proxy = i % 3 == 0
                                 ? ShufflePatches(image, static_cast<int64_t>(patch_size), rng)
                             : i % 3 == 1 ? MixEvenly(image, data.examples.pixels[other])
                                          : TurnAndInvert(image, rng);
    proxies.examples.pixels[row].copy_(proxy);
  }
  return proxies;
}

}  // namespace hydra::builder
