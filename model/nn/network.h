// A transformer encoder for M members: its plan and its parameters.  A single model is the case M
// = 1.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "model/artifact/manifest.h"

namespace hydra::nn {

// Parameters of one layer with S streams, K = largest number of heads that a stream keeps, F = MLP
// width, F' = 2F for "swiglu" (gate, then value) and F otherwise.  A stream that keeps fewer heads
// than K is padded with zero rows and columns, which changes nothing: a padded head's value is 0.
// G is 1 where the part is shared by all streams, else S.  With shared_qkv q/k/v are one set [1,
// 3*U*d_h, D] for the U heads that any stream keeps.  The last layer of a trunk has keys and values
// only, [1, 2*K*d_h, D], norm1 with norm_first, and the MLP if readers use it.
struct LayerWeights {
  at::Tensor norm1_weight, norm1_bias;  // [G, D]
  at::Tensor qkv_weight;                // [S, 3*K*d_h, D]; rows ordered (q, k, v) x head x feature
  at::Tensor qkv_bias;                  // [S, 3*K*d_h]
  at::Tensor out_weight;                // [S, D, K*d_h]
  at::Tensor out_bias;                  // [S, D]
  at::Tensor norm2_weight, norm2_bias;  // [G, D]
  at::Tensor fc1_weight, fc1_bias;      // [G, F', D], [G, F']
  at::Tensor fc2_weight, fc2_bias;      // [G, D, F], [G, D]
};

// Parameters of one layer of M readers, K = largest number of heads that a reader keeps (padded
// with zeros as above), r the rank of a "low_rank" MLP.  What ReaderPlan does not ask for is
// undefined.
struct ReaderWeights {
  at::Tensor norm1_weight, norm1_bias;          // [M, D]
  at::Tensor query_weight, query_bias;          // [M, K*d_h, D], [M, K*d_h]
  at::Tensor key_value_weight, key_value_bias;  // own_keys_values: [M, 2*K*d_h, D], [M, 2*K*d_h]
  at::Tensor out_weight, out_bias;              // [M, D, K*d_h], [M, D]
  at::Tensor norm2_weight, norm2_bias;          // [M, D]
  at::Tensor fc1_weight, fc1_bias;              // "own" MLP: [M, F', D], [M, F']
  at::Tensor fc2_weight, fc2_bias;              // "own" MLP: [M, D, F], [M, D]
  at::Tensor fc1_down,
      fc1_up;  // "low_rank": [M, r, D], [M, F', r], added to the trunk's: up * down
  at::Tensor fc2_down, fc2_up;  // "low_rank": [M, r, F], [M, D, r]
};

// N patches, P prefix tokens (CLS, then DeiT's distillation token or DINOv2's registers), T = P +
// N. A tensor that the geometry does not ask for is undefined: see EmbeddingParameters and
// HeadParameters.  I, the inputs of the classifier, is FeatureWidth().
struct EncoderWeights {
  at::Tensor patch_weight, patch_bias;  // images: [D, channels*p*p], [D]
  at::Tensor prefix;                    // images: [P, D]
  at::Tensor word;                      // text: [V, D]
  at::Tensor position;                  // [T, D], or of text [max_positions, D] with token type 0
  at::Tensor embedding_norm_weight, embedding_norm_bias;  // [D]
  std::vector<LayerWeights> layers;
  std::vector<ReaderWeights> readers;             // of the layers from ReaderPlan::first_layer on
  at::Tensor final_norm_weight, final_norm_bias;  // [G, D], G = 1 or M; norm_first only
  at::Tensor pooler_weight, pooler_bias;          // [G, D, D], [G, D]
  at::Tensor projection;                          // [G, E, D]
  at::Tensor classifier_weight, classifier_bias;  // [G, C, I], [G, C]; none when C = 0
};

struct Network {
  artifact::Geometry geometry;  // with 0 classes the network ends in features, not logits
  size_t members = 1;
  std::vector<artifact::LayerPlan> plan;  // one per layer; of readers where there are some
  // Members are readers: `weights.layers` is the trunk, which computes the tokens once.
  std::optional<artifact::ReaderPlan> reader;
  bool shared_classifier = true;  // G = 1 for everything after the layers
  // Which tokens are read: "cls" (the first), "mean", "cls_mean", "cls_distillation" (the first
  // two), or "last" (CLIP's text side).
  std::string pooling = "cls";
  bool causal = false;  // a token attends to those before it only (CLIP's text side)
  EncoderWeights weights;
};

// I: values that the classifier reads for each input.
size_t FeatureWidth(const Network& network);

struct Parameter {
  std::string name;  // "patch.weight"
  at::Tensor* tensor;
  std::vector<int64_t> shape;
};

// What the geometry asks for before and after the layers.  Shapes of the latter are without G.
// Pointers live as long as `network`.
std::vector<Parameter> EmbeddingParameters(Network& network);
std::vector<Parameter> HeadParameters(Network& network);

// What layer `l` of the tokens asks for; shapes with S or G.
std::vector<Parameter> LayerParameters(Network& network, size_t l);

// Every parameter with its name in memory ("layers.3.qkv.weight") and its shape there, in a fixed
// order.  Pointers live as long as `network`.
std::vector<Parameter> AllParameters(Network& network);

// The same without shapes.
std::vector<std::pair<std::string, at::Tensor*>> NamedParameters(Network& network);

// A plan in which all members are one stream that keeps every head.
std::vector<artifact::LayerPlan> FullPlan(const artifact::Geometry& geometry, size_t members);

// Heads that any stream keeps, ascending.
std::vector<size_t> UnionOfHeads(const artifact::LayerPlan& plan);

// Largest number of heads that a stream of this layer keeps.
size_t PaddedHeads(const artifact::LayerPlan& plan);

// F': rows of fc1.
size_t HiddenRows(const artifact::Geometry& geometry);

// Prefix tokens of an image family: CLS, DeiT's distillation token, registers.
size_t PrefixTokens(const std::string& family, const artifact::Geometry& geometry);

// Errors: FAILED_PRECONDITION names the parameter, its shape and what was wanted.
absl::Status CheckParameter(const std::string& name, const at::Tensor& tensor,
                            const std::vector<int64_t>& want);

// Checks that every parameter has the shape that geometry and plan ask for and that padding is
// zero. Errors: FAILED_PRECONDITION names the parameter, its shape and what was wanted.
absl::Status CheckNetwork(const Network& network);

// Rounds the matrices of patches, attention and MLPs to bfloat16; word embeddings, norms, the
// residual stream and what follows the layers stay float32.  For inference only.
void RoundMatricesToBFloat16(Network& network);

// A copy whose tensors do not share memory with `network`.
Network Clone(const Network& network);

}  // namespace hydra::nn
