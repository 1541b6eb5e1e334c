#include <cmath>

#include "model/base/rng.h"
#include "model/train/trainer.h"

namespace hydra::train {
namespace {

constexpr double kEmbeddingStddev = 0.02;  // the reference's initializer_range

at::Tensor TruncatedNormal(at::IntArrayRef shape, double stddev, base::Rng& rng) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  float* values = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    double z = rng.Normal();
    while (std::abs(z) > 2.0) z = rng.Normal();
    values[i] = static_cast<float>(stddev * z);
  }
  return tensor;
}

// A matrix [..., out, in].  The reference's 0.02 is right at its width of 768 and slows narrow
// networks down; 1/sqrt(3 in) equals it there and keeps the variance of activations at any width.
at::Tensor RandomMatrix(at::IntArrayRef shape, base::Rng& rng) {
  return TruncatedNormal(shape, 1.0 / std::sqrt(3.0 * static_cast<double>(shape.back())), rng);
}

nn::LayerWeights RandomLayer(const artifact::Geometry& geometry, base::Rng& rng) {
  const auto width = static_cast<int64_t>(geometry.width);
  const auto inner = static_cast<int64_t>(geometry.heads * geometry.head_width);
  const auto mlp = static_cast<int64_t>(geometry.mlp_width);
  nn::LayerWeights layer;
  layer.norm1_weight = at::ones({1, width});
  layer.norm1_bias = at::zeros({1, width});
  layer.qkv_weight = RandomMatrix({1, 3 * inner, width}, rng);
  layer.qkv_bias = at::zeros({1, 3 * inner});
  layer.out_weight = RandomMatrix({1, width, inner}, rng);
  layer.out_bias = at::zeros({1, width});
  layer.norm2_weight = at::ones({1, width});
  layer.norm2_bias = at::zeros({1, width});
  layer.fc1_weight = RandomMatrix({1, mlp, width}, rng);
  layer.fc1_bias = at::zeros({1, mlp});
  layer.fc2_weight = RandomMatrix({1, width, mlp}, rng);
  layer.fc2_bias = at::zeros({1, width});
  return layer;
}

}  // namespace

nn::Network RandomNetwork(const artifact::Geometry& geometry, size_t prefix_tokens, uint64_t seed) {
  base::Rng rng = base::Rng::ForPurpose(seed, "initial parameters");
  const auto width = static_cast<int64_t>(geometry.width);
  const auto classes = static_cast<int64_t>(geometry.classes);
  const auto prefix = static_cast<int64_t>(prefix_tokens);
  const auto patch = static_cast<int64_t>(geometry.patch_size);
  const int64_t patches = (static_cast<int64_t>(geometry.image_height) / patch) *
                          (static_cast<int64_t>(geometry.image_width) / patch);
  nn::Network network{.geometry = geometry, .plan = nn::FullPlan(geometry, 1)};
  nn::EncoderWeights& weights = network.weights;
  weights.patch_weight =
      RandomMatrix({width, static_cast<int64_t>(geometry.channels) * patch * patch}, rng);
  weights.patch_bias = at::zeros({width});
  weights.prefix = TruncatedNormal({prefix, width}, kEmbeddingStddev, rng);
  weights.position = TruncatedNormal({prefix + patches, width}, kEmbeddingStddev, rng);
  for (size_t l = 0; l < geometry.layers; ++l) weights.layers.push_back(RandomLayer(geometry, rng));
  weights.final_norm_weight = at::ones({1, width});
  weights.final_norm_bias = at::zeros({1, width});
  if (geometry.pooler != "none") {
    weights.pooler_weight = RandomMatrix({1, width, width}, rng);
    weights.pooler_bias = at::zeros({1, width});
  }
  if (geometry.projection_width > 0) {
    const auto joint = static_cast<int64_t>(geometry.projection_width);
    weights.projection = RandomMatrix({1, joint, width}, rng);
  }
  const auto inputs = static_cast<int64_t>(nn::FeatureWidth(network));
  weights.classifier_weight = RandomMatrix({1, classes, inputs}, rng);
  weights.classifier_bias = at::zeros({1, classes});
  return network;
}

void AddClassifier(const NewClassifier& wanted, nn::Network& network) {
  base::Rng rng = base::Rng::ForPurpose(wanted.seed, "classifier");
  artifact::Geometry& geometry = network.geometry;
  nn::EncoderWeights& weights = network.weights;
  const auto width = static_cast<int64_t>(geometry.width);
  const auto classes = static_cast<int64_t>(wanted.classes);
  if (geometry.pooler != wanted.pooler) {
    geometry.pooler = wanted.pooler;
    weights.pooler_weight = RandomMatrix({1, width, width}, rng);
    weights.pooler_bias = at::zeros({1, width});
  }
  if (wanted.identity_pooler && geometry.pooler != "none") {
    weights.pooler_weight = at::eye(width).unsqueeze(0);
    weights.pooler_bias = at::zeros({1, width});
  }
  geometry.classes = wanted.classes;
  weights.classifier_weight =
      RandomMatrix({1, classes, static_cast<int64_t>(nn::FeatureWidth(network))}, rng);
  weights.classifier_bias = at::zeros({1, classes});
}

}  // namespace hydra::train
