#include "model/builder/source/proxy_ood.h"

#include <algorithm>
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

LabelledData ImageProxies(const LabelledData& data, size_t patch_size, base::Rng& rng) {
  LabelledData proxies{.examples = data.examples, .digests = {}, .label_names = {}};
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

using Tokens = std::vector<int64_t>;

// The tokens between the first and the last, which are special.
size_t InnerTokens(const Tokens& text) { return text.size() < 2 ? 0 : text.size() - 2; }

Tokens ShuffleTokens(const Tokens& text, base::Rng& rng) {
  Tokens shuffled = text;
  const std::vector<size_t> order = rng.Permutation(InnerTokens(text));
  for (size_t i = 0; i < order.size(); ++i) shuffled[i + 1] = text[order[i] + 1];
  return shuffled;
}

// The first half of one text and the second half of another.
Tokens JoinHalves(const Tokens& a, const Tokens& b) {
  Tokens joined(a.begin(), a.begin() + static_cast<std::ptrdiff_t>((a.size() + 1) / 2));
  joined.insert(joined.end(), b.begin() + static_cast<std::ptrdiff_t>(b.size() / 2), b.end());
  return joined;
}

// Tokens of as many texts, in place of a text's own.
Tokens DrawTokens(const Tokens& text, const std::vector<Tokens>& all, base::Rng& rng) {
  Tokens drawn = text;
  for (size_t i = 0; i < InnerTokens(text); ++i) {
    const Tokens& source = all[rng.UniformBelow(all.size())];
    if (InnerTokens(source) > 0) drawn[i + 1] = source[1 + rng.UniformBelow(InnerTokens(source))];
  }
  return drawn;
}

LabelledData TextProxies(const LabelledData& data, base::Rng& rng) {
  LabelledData proxies{.examples = data.examples, .digests = {}, .label_names = {}};
  const std::vector<Tokens>& texts = data.examples.tokens;
  size_t longest = 0;
  for (const Tokens& text : texts) longest = std::max(longest, text.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const Tokens& other = texts[(i + 1 + rng.UniformBelow(texts.size())) % texts.size()];
    Tokens& proxy = proxies.examples.tokens[i];
    proxy = i % 3 == 0   ? ShuffleTokens(texts[i], rng)
            : i % 3 == 1 ? JoinHalves(texts[i], other)
                         : DrawTokens(texts[i], texts, rng);
    if (proxy.size() > longest) proxy.erase(proxy.end() - 2, proxy.end() - 1);
  }
  return proxies;
}

}  // namespace

LabelledData MakeProxyOod(const LabelledData& data, size_t patch_size, uint64_t seed) {
  base::Rng rng = base::Rng::ForPurpose(seed, "proxy out-of-distribution images");
  LabelledData proxies =
      data.examples.texts() ? TextProxies(data, rng) : ImageProxies(data, patch_size, rng);
  proxies.examples.labels = at::Tensor();
  return proxies;
}

}  // namespace hydra::builder
