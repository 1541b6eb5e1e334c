#include "model/nn/forward.h"

#include <vector>

#include "model/nn/embed.h"
#include "model/nn/grouped.h"
#include "model/nn/head.h"

namespace hydra::nn {
namespace {

// x: [S, R, D] -> attention output [S, R, D] including the output bias.
at::Tensor AttentionBlock(const Network& network, const at::Tensor& x, const Sequences& sequences,
                          size_t layer, const ForwardOptions& options) {
  const LayerWeights& weights = network.weights.layers[layer];
  const auto heads = static_cast<int64_t>(PaddedHeads(network.plan[layer]));
  const auto width = static_cast<int64_t>(network.geometry.head_width);
  if (heads == 0) return weights.out_bias.unsqueeze(1);
  const int64_t streams = x.size(0);
  const at::Tensor qkv = GroupedLinear(x, weights.qkv_weight, weights.qkv_bias)
                             .view({streams, sequences.rows, 3, heads, width});
  at::Tensor context =
      Attend(qkv, sequences,
             {.causal = network.causal, .layer = layer, .observe = options.observe_attention});
  if (options.tap) context = options.tap(layer, context);
  context = context.reshape({streams, sequences.rows, heads * width});
  return GroupedLinear(context, weights.out_weight, weights.out_bias);
}

at::Tensor MlpBlock(const at::Tensor& x, const LayerWeights& weights,
                    const std::string& activation) {
  const at::Tensor hidden =
      Activate(GroupedLinear(x, weights.fc1_weight, weights.fc1_bias), activation);
  return GroupedLinear(hidden, weights.fc2_weight, weights.fc2_bias);
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

// x: [S, R, D] -> [S, R, D].
at::Tensor Layer(const Network& network, at::Tensor x, const Sequences& sequences, size_t layer,
                 const ForwardOptions& options) {
  const LayerWeights& weights = network.weights.layers[layer];
  const artifact::Geometry& geometry = network.geometry;
  const auto norm1 = [&](const at::Tensor& rows) {
    return GroupedLayerNorm(rows, weights.norm1_weight, weights.norm1_bias,
                            geometry.layer_norm_epsilon);
  };
  const auto norm2 = [&](const at::Tensor& rows) {
    return GroupedLayerNorm(rows, weights.norm2_weight, weights.norm2_bias,
                            geometry.layer_norm_epsilon);
  };
  const auto attention = [&](const at::Tensor& rows) {
    return Dropout(AttentionBlock(network, rows, sequences, layer, options), options);
  };
  const auto mlp = [&](const at::Tensor& rows) {
    return Dropout(MlpBlock(rows, weights, geometry.activation), options);
  };
  if (geometry.norm_first) {
    x = x + attention(norm1(x));
    return x + mlp(norm2(x));
  }
  x = norm1(x + attention(x));
  return norm2(x + mlp(x));
}

}  // namespace

at::Tensor Forward(const Network& network, const Input& input, const ForwardOptions& options) {
  const Sequences sequences = LayOut(TokenCounts(network, input));
  const at::Tensor x = Dropout(Embed(network, input, sequences), options).unsqueeze(0);
  return ForwardFrom(network, 0, x, sequences, options);
}

at::Tensor ForwardFrom(const Network& network, size_t first, at::Tensor x,
                       const Sequences& sequences, const ForwardOptions& options) {
  artifact::LayerPlan before =
      first == 0 ? FullPlan(network.geometry, network.members).front() : network.plan[first - 1];
  for (size_t l = first; l < network.plan.size(); ++l) {
    if (options.observe) options.observe(l, x);
    x = SplitStreams(x, before, network.plan[l]);
    x = Layer(network, x, sequences, l, options);
    before = network.plan[l];
  }
  if (options.observe) options.observe(network.plan.size(), x);
  return Answer(network, x, sequences);
}

}  // namespace hydra::nn
