// Small random networks for tests: weights wide enough that attention is far from uniform.
#pragma once

#include <ATen/ATen.h>

#include "model/base/rng.h"
#include "model/nn/network.h"
#include "model/train/trainer.h"

namespace hydra::testing {

inline artifact::Geometry TinyGeometry() {
  return {.layers = 3,
          .width = 24,
          .heads = 4,
          .head_width = 6,
          .mlp_width = 20,
          .classes = 5,
          .activation = "gelu",
          .layer_norm_epsilon = 1e-6,
          .image_height = 12,
          .image_width = 12,
          .channels = 1,
          .patch_size = 4};
}

// Every parameter normal with stddev 0.3; norm weights around 1.
inline nn::Network WideNetwork(const artifact::Geometry& geometry, uint64_t seed) {
  nn::Network network = train::RandomNetwork(geometry, 1, seed);
  base::Rng rng(seed);
  for (auto& [name, parameter] : nn::NamedParameters(network)) {
    const float centre =
        name.find("norm") != std::string::npos && name.find("weight") != std::string::npos ? 1.0f
                                                                                           : 0.0f;
    float* values = parameter->data_ptr<float>();
    for (int64_t i = 0; i < parameter->numel(); ++i)
      values[i] = centre + 0.3f * static_cast<float>(rng.Normal());
  }
  return network;
}

inline at::Tensor RandomImages(const artifact::Geometry& geometry, int64_t batch, uint64_t seed) {
  at::Tensor images = at::empty({batch, static_cast<int64_t>(geometry.channels),
                                 static_cast<int64_t>(geometry.image_height),
                                 static_cast<int64_t>(geometry.image_width)});
  base::Rng rng(seed);
  for (int64_t i = 0; i < images.numel(); ++i)
    images.data_ptr<float>()[i] = static_cast<float>(rng.Normal());
  return images;
}

inline double LargestDifference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace hydra::testing
