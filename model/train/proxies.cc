#include "model/train/proxies.h"

#include <algorithm>
#include <variant>

namespace hydra::train {
namespace {

using Tokens = std::vector<int64_t>;

at::Tensor ImageProxies(const at::Tensor& images, size_t patch, base::Rng& rng) {
  const at::Tensor mixed = 0.5 * (images + images.roll(-1, 0));
  at::Tensor proxies = mixed.clone();
  for (int64_t i = 0; i < images.size(0); i += 2)
    proxies[i].copy_(ShufflePatches(images[i], patch, rng));
  return proxies;
}

std::vector<Tokens> Split(const nn::TokenBatch& batch) {
  std::vector<Tokens> texts;
  const int64_t* ids = batch.ids.data_ptr<int64_t>();
  for (const int64_t length : batch.lengths) {
    texts.emplace_back(ids, ids + length);
    ids += length;
  }
  return texts;
}

nn::TokenBatch TextProxies(const nn::TokenBatch& batch, base::Rng& rng) {
  const std::vector<Tokens> texts = Split(batch);
  size_t longest = 0;
  for (const Tokens& text : texts) longest = std::max(longest, text.size());
  Tokens ids;
  nn::TokenBatch proxies;
  for (size_t i = 0; i < texts.size(); ++i) {
    Tokens proxy = i % 2 == 0 ? ShuffleTokens(texts[i], rng)
                              : JoinHalves(texts[i], texts[(i + 1) % texts.size()]);
    if (proxy.size() > longest) proxy.erase(proxy.end() - 2, proxy.end() - 1);
    proxies.lengths.push_back(static_cast<int64_t>(proxy.size()));
    ids.insert(ids.end(), proxy.begin(), proxy.end());
  }
  proxies.ids = at::tensor(ids, at::kLong);
  return proxies;
}

}  // namespace

at::Tensor ShufflePatches(const at::Tensor& image, size_t patch_size, base::Rng& rng) {
  const auto patch = static_cast<int64_t>(patch_size);
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

Tokens ShuffleTokens(const Tokens& text, base::Rng& rng) {
  Tokens shuffled = text;
  const std::vector<size_t> order = rng.Permutation(text.size() < 2 ? 0 : text.size() - 2);
  for (size_t i = 0; i < order.size(); ++i) shuffled[i + 1] = text[order[i] + 1];
  return shuffled;
}

Tokens JoinHalves(const Tokens& a, const Tokens& b) {
  Tokens joined(a.begin(), a.begin() + static_cast<std::ptrdiff_t>((a.size() + 1) / 2));
  joined.insert(joined.end(), b.begin() + static_cast<std::ptrdiff_t>(b.size() / 2), b.end());
  return joined;
}

nn::Input MakeProxies(const nn::Input& batch, size_t patch, base::Rng& rng) {
  if (const auto* texts = std::get_if<nn::TokenBatch>(&batch)) return TextProxies(*texts, rng);
  return ImageProxies(std::get<at::Tensor>(batch), patch, rng);
}

}  // namespace hydra::train
