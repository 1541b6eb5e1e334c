#include "model/builder/source/proxy_ood.h"

#include <algorithm>
#include <vector>

#include "model/base/rng.h"
#include "model/train/proxies.h"

namespace hydra::builder {
namespace {

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
    const at::Tensor proxy = i % 3 == 0   ? train::ShufflePatches(image, patch_size, rng)
                             : i % 3 == 1 ? MixEvenly(image, data.examples.pixels[other])
                                          : TurnAndInvert(image, rng);
    proxies.examples.pixels[row].copy_(proxy);
  }
  return proxies;
}

using Tokens = std::vector<int64_t>;

// The tokens between the first and the last, which are special.
size_t InnerTokens(const Tokens& text) { return text.size() < 2 ? 0 : text.size() - 2; }

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
    proxy = i % 3 == 0   ? train::ShuffleTokens(texts[i], rng)
            : i % 3 == 1 ? train::JoinHalves(texts[i], other)
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
