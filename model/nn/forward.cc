#include "model/nn/forward.h"

#include <ATen/ops/scaled_dot_product_attention.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <optional>
#include <vector>

#include "model/base/check.h"

namespace hydra::nn {
namespace {

// x: [S, R, in], weight: [G, out, in], bias: [G, out], G = 1 or S -> [S, R, out], in the weight's
// dtype.
at::Tensor GroupedLinear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const at::Tensor input = x.to(weight.scalar_type());
  if (weight.size(0) == 1) return at::linear(input, weight[0], bias[0]);
  return at::baddbmm(bias.unsqueeze(1), input, weight.transpose(1, 2));
}

// x: [S, R, D], weight and bias: [G, D], G = 1 or S.
at::Tensor GroupedLayerNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                            double epsilon) {
  if (weight.size(0) == 1) return at::layer_norm(x, {x.size(2)}, weight[0], bias[0], epsilon);
  const at::Tensor normal = at::layer_norm(x, {x.size(2)}, {}, {}, epsilon);
  return normal * weight.unsqueeze(1) + bias.unsqueeze(1);
}

at::Tensor Activate(const at::Tensor& x, const std::string& activation) {
  if (activation == "gelu") return at::gelu(x);
  if (activation == "gelu_tanh") return at::gelu(x, "tanh");
  if (activation == "quick_gelu") return x * at::sigmoid(1.702 * x);
  HYDRA_CHECK(activation == "relu");
  return at::relu(x);
}

// q, k, v: [N, K, T, d_h] -> softmax(q k^T / sqrt(d_h)) v.  The plain formula while training: on
// CPU the backward pass of the fused kernel is several times slower than this one at short
// sequences.
at::Tensor Attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
  if (!c10::GradMode::is_enabled()) return at::scaled_dot_product_attention(q, k, v);
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(3)));
  return at::matmul(at::softmax(at::matmul(q * scale, k.transpose(2, 3)), -1), v);
}

struct Dims {
  int64_t batch, tokens, heads, head_width;
};

// x: [S, B*T, D] -> attention output [S, B*T, D] including the output bias.
at::Tensor AttentionBlock(const at::Tensor& x, const LayerWeights& weights, const Dims& dims,
                          size_t layer, const ForwardOptions& options) {
  const int64_t streams = weights.qkv_weight.size(0);
  if (dims.heads == 0) return weights.out_bias.unsqueeze(1);
  const at::Tensor qkv =
      GroupedLinear(x, weights.qkv_weight, weights.qkv_bias)
          .view({streams, dims.batch, dims.tokens, 3, dims.heads, dims.head_width})
          .permute({3, 0, 1, 4, 2, 5})
          .reshape({3, streams * dims.batch, dims.heads, dims.tokens, dims.head_width});
  at::Tensor context =
      Attention(qkv[0], qkv[1], qkv[2])
          .transpose(1, 2)
          .reshape({streams, dims.batch, dims.tokens, dims.heads, dims.head_width});
  if (options.tap) context = options.tap(layer, context);
  context = context.reshape({streams, dims.batch * dims.tokens, dims.heads * dims.head_width});
  return GroupedLinear(context, weights.out_weight, weights.out_bias);
}

at::Tensor MlpBlock(const at::Tensor& x, const LayerWeights& weights,
                    const std::string& activation) {
  const at::Tensor hidden =
      Activate(GroupedLinear(x, weights.fc1_weight, weights.fc1_bias), activation);
  return GroupedLinear(hidden, weights.fc2_weight, weights.fc2_bias);
}

// images [B, c, H, W] -> tokens [B, T, D].
at::Tensor Embed(const Network& network, const at::Tensor& images) {
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

// For every stream of `layer` the stream of `before` that it continues.
std::vector<int64_t> ParentStreams(const artifact::LayerPlan& before,
                                   const artifact::LayerPlan& layer) {
  std::vector<int64_t> parents;
  for (const std::vector<size_t>& members : layer.streams) {
    for (size_t p = 0; p < before.streams.size(); ++p) {
      for (const size_t m : before.streams[p]) {
        if (m == members.front()) parents.push_back(static_cast<int64_t>(p));
      }
    }
  }
  return parents;
}

// x: [S_before, R, D] -> [S, R, D], copying a stream only where it splits.
at::Tensor SplitStreams(const at::Tensor& x, const artifact::LayerPlan& before,
                        const artifact::LayerPlan& layer) {
  if (before.streams.size() == layer.streams.size()) return x;
  return x.index_select(0, at::tensor(ParentStreams(before, layer), at::kLong));
}

at::Tensor Dropout(const at::Tensor& x, const ForwardOptions& options) {
  return options.dropout > 0.0 ? at::dropout(x, options.dropout, /*train=*/true) : x;
}

// x: [S, B*T, D] of the last layer -> logits [M, B, C] from each member's CLS token.
at::Tensor Classify(const Network& network, const at::Tensor& x, int64_t batch) {
  const EncoderWeights& weights = network.weights;
  const artifact::LayerPlan& last = network.plan.back();
  std::vector<int64_t> stream_of_member(network.members);
  for (size_t s = 0; s < last.streams.size(); ++s) {
    for (const size_t m : last.streams[s]) stream_of_member[m] = static_cast<int64_t>(s);
  }
  at::Tensor cls = x.view({x.size(0), batch, -1, x.size(2)}).select(2, 0);
  cls = cls.index_select(0, at::tensor(stream_of_member, at::kLong));
  cls = GroupedLayerNorm(cls, weights.final_norm_weight, weights.final_norm_bias,
                         network.geometry.layer_norm_epsilon);
  return GroupedLinear(cls, weights.classifier_weight, weights.classifier_bias).to(at::kFloat);
}

}  // namespace

at::Tensor Forward(const Network& network, const at::Tensor& images,
                   const ForwardOptions& options) {
  const artifact::Geometry& geometry = network.geometry;
  at::Tensor tokens = Dropout(Embed(network, images), options);
  Dims dims{tokens.size(0), tokens.size(1), 0, static_cast<int64_t>(geometry.head_width)};
  artifact::LayerPlan before = FullPlan(geometry, network.members).front();
  at::Tensor x = tokens.reshape({1, dims.batch * dims.tokens, -1});
  for (size_t l = 0; l < network.plan.size(); ++l) {
    const LayerWeights& weights = network.weights.layers[l];
    if (options.observe) options.observe(l, x);
    x = SplitStreams(x, before, network.plan[l]);
    dims.heads = static_cast<int64_t>(PaddedHeads(network.plan[l]));
    const double epsilon = geometry.layer_norm_epsilon;
    const at::Tensor normal1 =
        GroupedLayerNorm(x, weights.norm1_weight, weights.norm1_bias, epsilon);
    x = x + Dropout(AttentionBlock(normal1, weights, dims, l, options), options);
    const at::Tensor normal2 =
        GroupedLayerNorm(x, weights.norm2_weight, weights.norm2_bias, epsilon);
    x = x + Dropout(MlpBlock(normal2, weights, geometry.activation), options);
    before = network.plan[l];
  }
  return Classify(network, x, dims.batch);
}

}  // namespace hydra::nn
