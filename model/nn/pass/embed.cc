#include "model/nn/pass/embed.h"

#include <vector>

namespace hydra::nn {
namespace {

// images [B, c, H, W] -> [B, T, D].
at::Tensor EmbedImages(const Network& network, const at::Tensor& images) {
  const auto patch = static_cast<int64_t>(network.geometry.patch_size);
  const int64_t batch = images.size(0), channels = images.size(1);
  const int64_t rows = images.size(2) / patch, columns = images.size(3) / patch;
  // As the reference's strided convolution does, pixels beyond the last whole patch are left out.
  const at::Tensor patches = images.narrow(2, 0, rows * patch)
                                 .narrow(3, 0, columns * patch)
                                 .reshape({batch, channels, rows, patch, columns, patch})
                                 .permute({0, 2, 4, 1, 3, 5})
                                 .reshape({batch, rows * columns, channels * patch * patch});
  const EncoderWeights& weights = network.weights;
  const at::Tensor embedded = at::linear(patches.to(weights.patch_weight.scalar_type()),
                                         weights.patch_weight, weights.patch_bias);
  const at::Tensor prefix =
      weights.prefix.unsqueeze(0).expand({batch, -1, -1}).to(embedded.scalar_type());
  return at::cat({prefix, embedded}, 1) + weights.position;
}

at::Tensor EmbedTexts(const Network& network, const TokenBatch& texts, const Sequences& sequences) {
  return at::embedding(network.weights.word, texts.ids) +
         at::embedding(network.weights.position, RowPlaces(sequences));
}

}  // namespace

std::vector<int64_t> TokenCounts(const Network& network, const Input& input) {
  if (const auto* texts = std::get_if<TokenBatch>(&input)) return texts->lengths;
  return std::vector<int64_t>(static_cast<size_t>(InputSize(input)),
                              network.weights.position.size(0));
}

at::Tensor Embed(const Network& network, const Input& input, const Sequences& sequences) {
  const auto width = static_cast<int64_t>(network.geometry.width);
  const auto* images = std::get_if<at::Tensor>(&input);
  const at::Tensor tokens = images != nullptr
                                ? EmbedImages(network, *images).reshape({-1, width})
                                : EmbedTexts(network, std::get<TokenBatch>(input), sequences);
  if (!network.geometry.embedding_norm) return tokens;
  const EncoderWeights& weights = network.weights;
  return at::layer_norm(tokens, {width}, weights.embedding_norm_weight, weights.embedding_norm_bias,
                        network.geometry.layer_norm_epsilon);
}

}  // namespace hydra::nn
