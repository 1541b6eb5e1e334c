#include "model/nn/pass/layer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "model/nn/grouped.h"
#include "model/nn/pass/attention.h"
#include "model/nn/readers.h"

namespace hydra::nn {
namespace {

int64_t HeadWidth(const Network& network) {
  return static_cast<int64_t>(network.geometry.head_width);
}

// LayerNorm before q/k/v: one for all where q/k/v are.
at::Tensor NormBeforeAttention(const Pass& pass, size_t layer, const at::Tensor& x) {
  if (!pass.network.geometry.norm_first) return x;
  const LayerWeights& weights = pass.network.weights.layers[layer];
  const int64_t groups = pass.network.plan[layer].shared_qkv ? 1 : weights.norm1_weight.size(0);
  return GroupedLayerNorm(x, weights.norm1_weight.narrow(0, 0, groups),
                          weights.norm1_bias.narrow(0, 0, groups),
                          pass.network.geometry.layer_norm_epsilon);
}

// Rows `first`..`first + count` thirds of q/k/v: x [S, R, D] -> [S, R, count, K, d_h].
at::Tensor Project(const Pass& pass, size_t layer, const at::Tensor& x, int64_t first,
                   int64_t count) {
  const LayerWeights& weights = pass.network.weights.layers[layer];
  const int64_t parts = GivesKeysValuesOnly(pass.network, layer) ? 2 : 3;
  const int64_t inner = weights.qkv_weight.size(1) / parts;
  if (inner == 0) return {};
  const at::Tensor projected =
      GroupedLinear(x, weights.qkv_weight.narrow(1, first * inner, count * inner),
                    weights.qkv_bias.narrow(1, first * inner, count * inner));
  return projected.view(
      {x.size(0), x.size(1), count, inner / HeadWidth(pass.network), HeadWidth(pass.network)});
}

// Contexts of the union's heads, [1, R, U, d_h], for each stream its own: [S, R, K, d_h].  A padded
// head repeats the first: its output weights are zero.
at::Tensor OwnHeads(const artifact::LayerPlan& plan, const at::Tensor& context) {
  const std::vector<size_t> heads = UnionOfHeads(plan);
  const size_t padded = PaddedHeads(plan);
  std::vector<int64_t> places;
  for (const std::vector<size_t>& kept : plan.heads) {
    for (size_t k = 0; k < padded; ++k) {
      const size_t head = k < kept.size() ? kept[k] : heads.front();
      places.push_back(std::lower_bound(heads.begin(), heads.end(), head) - heads.begin());
    }
  }
  const auto streams = static_cast<int64_t>(plan.streams.size());
  return context[0]
      .index_select(1, at::tensor(places, at::kLong))
      .view({context.size(1), streams, static_cast<int64_t>(padded), context.size(3)})
      .transpose(0, 1);
}

// context: [S, R, K, d_h] -> attention output [S, R, D] including the output bias.
at::Tensor Output(const Pass& pass, size_t layer, at::Tensor context) {
  const LayerWeights& weights = pass.network.weights.layers[layer];
  if (!context.defined()) return weights.out_bias.unsqueeze(1);
  const artifact::LayerPlan& plan = pass.network.plan[layer];
  if (plan.shared_qkv) context = OwnHeads(plan, context);
  return GroupedLinear(context.flatten(2), weights.out_weight, weights.out_bias);
}

at::Tensor MlpBlock(const LayerWeights& weights, const std::string& activation,
                    const at::Tensor& x) {
  const at::Tensor hidden =
      Activate(GroupedLinear(x, weights.fc1_weight, weights.fc1_bias), activation);
  return GroupedLinear(hidden, weights.fc2_weight, weights.fc2_bias);
}

// Residual sums, norms and MLP around an attention output, for any rows of the tokens.
at::Tensor AddBlocks(const Pass& pass, size_t layer, at::Tensor x, const at::Tensor& attention) {
  const LayerWeights& weights = pass.network.weights.layers[layer];
  const artifact::Geometry& geometry = pass.network.geometry;
  const double epsilon = geometry.layer_norm_epsilon;
  const auto mlp = [&](const at::Tensor& rows) {
    return Dropout(MlpBlock(weights, geometry.activation, rows), pass.options);
  };
  const auto norm2 = [&](const at::Tensor& rows) {
    return GroupedLayerNorm(rows, weights.norm2_weight, weights.norm2_bias, epsilon);
  };
  x = x + Dropout(attention, pass.options);
  if (geometry.norm_first) return x + mlp(norm2(x));
  x = GroupedLayerNorm(x, weights.norm1_weight, weights.norm1_bias, epsilon);
  return norm2(x + mlp(x));
}

at::Tensor AttendTokens(const Pass& pass, size_t layer, const at::Tensor& qkv) {
  if (!qkv.defined()) return {};
  const bool text = pass.network.geometry.vocabulary > 0;
  at::Tensor context = Attend(qkv, pass.sequences,
                              {.causal = pass.network.causal,
                               .layer = layer,
                               .dropout = text ? pass.options.dropout : 0.0,
                               .observe = pass.options.observe_attention});
  return pass.options.tap ? pass.options.tap(layer, context) : context;
}

}  // namespace

at::Tensor AnswerRows(const Network& network, const Sequences& sequences) {
  const int64_t tokens = AnswerTokens(network);
  if (tokens == 1) return sequences.first_row;
  return (sequences.first_row.unsqueeze(1) + at::arange(tokens, at::kLong)).flatten();
}

at::Tensor StreamLayer(const Pass& pass, size_t layer, const at::Tensor& x) {
  const at::Tensor qkv = Project(pass, layer, NormBeforeAttention(pass, layer, x), 0, 3);
  return AddBlocks(pass, layer, x, Output(pass, layer, AttendTokens(pass, layer, qkv)));
}

at::Tensor AnswerLayer(const Pass& pass, size_t layer, const at::Tensor& x) {
  const at::Tensor rows = AnswerRows(pass.network, pass.sequences);
  const at::Tensor normal = NormBeforeAttention(pass, layer, x);
  const at::Tensor keys_values = Project(pass, layer, normal, 1, 2);
  at::Tensor context;
  if (keys_values.defined()) {
    const at::Tensor queries = Project(pass, layer, normal.index_select(1, rows), 0, 1);
    context = AttendRows(queries.select(2, 0), keys_values, pass.sequences);
  }
  return AddBlocks(pass, layer, x.index_select(1, rows), Output(pass, layer, context));
}

at::Tensor TrunkProjections(const Pass& pass, size_t layer, const at::Tensor& x) {
  const int64_t parts = GivesKeysValuesOnly(pass.network, layer) ? 2 : 3;
  return Project(pass, layer, NormBeforeAttention(pass, layer, x), 0, parts);
}

at::Tensor TrunkLayer(const Pass& pass, size_t layer, const at::Tensor& x, const at::Tensor& qkv) {
  const LayerWeights& weights = pass.network.weights.layers[layer];
  const at::Tensor context = AttendTokens(pass, layer, qkv);
  const at::Tensor attention =
      context.defined() ? GroupedLinear(context.flatten(2), weights.out_weight, weights.out_bias)
                        : weights.out_bias.unsqueeze(1);
  return AddBlocks(pass, layer, x, attention);
}

at::Tensor Dropout(const at::Tensor& x, const ForwardOptions& options) {
  return options.dropout > 0.0 ? at::dropout(x, options.dropout, /*train=*/true) : x;
}

}  // namespace hydra::nn
