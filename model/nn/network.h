// A transformer encoder for M members: its plan and its parameters.  A single model is the case M
// = 1.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "model/artifact/manifest.h"

namespace hydra::nn {

// Parameters of one layer with S streams, K = largest number of heads that a stream keeps, F = MLP
// width. A stream that keeps fewer heads than K is padded with zero rows and columns, which changes
// nothing: a padded head's value is 0.  G is 1 where the part is shared by all streams, else S.
struct LayerWeights {
  at::Tensor norm1_weight, norm1_bias;  // [G, D]
  at::Tensor qkv_weight;                // [S, 3*K*d_h, D]; rows ordered (q, k, v) x head x feature
  at::Tensor qkv_bias;                  // [S, 3*K*d_h]
  at::Tensor out_weight;                // [S, D, K*d_h]
  at::Tensor out_bias;                  // [S, D]
  at::Tensor norm2_weight, norm2_bias;  // [G, D]
  at::Tensor fc1_weight, fc1_bias;      // [G, F, D], [G, F]
  at::Tensor fc2_weight, fc2_bias;      // [G, D, F], [G, D]
};

// N patches, P prefix tokens (CLS, then DeiT's distillation token), T = P + N.
struct EncoderWeights {
  at::Tensor patch_weight, patch_bias;  // [D, channels*p*p], [D]
  at::Tensor prefix;                    // [P, D]
  at::Tensor position;                  // [T, D]
  std::vector<LayerWeights> layers;
  at::Tensor final_norm_weight, final_norm_bias;  // [G, D], G = 1 or M
  at::Tensor classifier_weight, classifier_bias;  // [G, C, D], [G, C]
};

struct Network {
  artifact::Geometry geometry;
  size_t members = 1;
  std::vector<artifact::LayerPlan> plan;  // one per layer
  bool shared_classifier = true;          // G = 1 for the last norm and the classifier
  EncoderWeights weights;
};

// Every parameter with its name in memory ("layers.3.qkv.weight"), in a fixed order.  Pointers live
// as long as `network`.
std::vector<std::pair<std::string, at::Tensor*>> NamedParameters(Network& network);

// A plan in which all members are one stream that keeps every head.
std::vector<artifact::LayerPlan> FullPlan(const artifact::Geometry& geometry, size_t members);

// Largest number of heads that a stream of this layer keeps.
size_t PaddedHeads(const artifact::LayerPlan& plan);

// Checks that every parameter has the shape that geometry and plan ask for and that padding is
// zero. Errors: FAILED_PRECONDITION names the parameter, its shape and what was wanted.
absl::Status CheckNetwork(const Network& network);

// Rounds the matrices of embeddings, attention and MLPs to bfloat16; norms, the residual stream and
// the classifier stay float32.  For inference only.
void RoundMatricesToBFloat16(Network& network);

// A copy whose tensors do not share memory with `network`.
Network Clone(const Network& network);

}  // namespace hydra::nn
