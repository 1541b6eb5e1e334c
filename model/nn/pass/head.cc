#include "model/nn/pass/head.h"

#include <vector>

#include "model/nn/grouped.h"
#include "model/nn/readers.h"

namespace hydra::nn {
namespace {

// Mean over each input's tokens from its `skip`-th on: [M, R, D] -> [M, B, D].
at::Tensor MeanTokens(const at::Tensor& x, const Sequences& sequences, int64_t skip) {
  const at::Tensor inputs = RowInputs(sequences);
  const at::Tensor used = RowPlaces(sequences).ge(skip).to(at::kFloat).unsqueeze(1);
  const at::Tensor sums = at::zeros({x.size(0), sequences.batch, x.size(2)}, at::kFloat)
                              .index_add(1, inputs, x.to(at::kFloat) * used);
  const at::Tensor counts = at::zeros({sequences.batch, 1}, at::kFloat).index_add(0, inputs, used);
  return sums / counts;
}

at::Tensor LastRows(const Sequences& sequences) {
  return sequences.first_row + at::tensor(sequences.lengths, at::kLong) - 1;
}

// [M, R, D], after the last LayerNorm -> [M, B, D or 2D].
at::Tensor Pool(const Network& network, const at::Tensor& x, const Sequences& sequences) {
  if (network.pooling == "mean") return MeanTokens(x, sequences, 0);
  if (network.pooling == "last") return x.index_select(1, LastRows(sequences));
  const at::Tensor first = x.index_select(1, sequences.first_row);
  if (network.pooling == "cls_mean") {
    return at::cat({first, MeanTokens(x, sequences, network.weights.prefix.size(0))}, 2);
  }
  if (network.pooling == "cls_distillation") {
    return at::cat({first, x.index_select(1, sequences.first_row + 1)}, 2);
  }
  return first;
}

bool ReadsOneToken(const Network& network) {
  return network.pooling == "cls" || network.pooling == "last";
}

at::Tensor LastNorm(const Network& network, const at::Tensor& rows) {
  const EncoderWeights& weights = network.weights;
  return network.geometry.norm_first
             ? GroupedLayerNorm(rows, weights.final_norm_weight, weights.final_norm_bias,
                                network.geometry.layer_norm_epsilon)
             : rows;
}

// From pooled features, [M, B, D or 2D].
at::Tensor Classify(const Network& network, at::Tensor features, double dropout) {
  const EncoderWeights& weights = network.weights;
  const artifact::Geometry& geometry = network.geometry;
  if (geometry.pooler != "none") {
    features = Activate(GroupedLinear(features, weights.pooler_weight, weights.pooler_bias),
                        geometry.pooler);
    if (dropout > 0.0) features = at::dropout(features, dropout, /*train=*/true);
  }
  if (geometry.projection_width > 0) {
    features = GroupedLinear(features, weights.projection, {});
    features = features / features.norm(2, -1, /*keepdim=*/true);
  }
  if (geometry.classes == 0) return features.to(at::kFloat);
  return GroupedLinear(features, weights.classifier_weight, weights.classifier_bias).to(at::kFloat);
}

}  // namespace

at::Tensor ByMember(const Network& network, const at::Tensor& x) {
  if (network.members == 1) return x;
  const artifact::LayerPlan& last = network.plan.back();
  std::vector<int64_t> stream_of_member(network.members);
  for (size_t s = 0; s < last.streams.size(); ++s) {
    for (const size_t m : last.streams[s]) stream_of_member[m] = static_cast<int64_t>(s);
  }
  return x.index_select(0, at::tensor(stream_of_member, at::kLong));
}

at::Tensor Answer(const Network& network, const at::Tensor& x, const Sequences& sequences,
                  double dropout) {
  // Pooling one token first spares the norm of all others.
  const at::Tensor features =
      ReadsOneToken(network) ? LastNorm(network, ByMember(network, Pool(network, x, sequences)))
                             : Pool(network, LastNorm(network, ByMember(network, x)), sequences);
  return Classify(network, features, dropout);
}

at::Tensor AnswerFrom(const Network& network, const at::Tensor& rows, double dropout) {
  const int64_t each = AnswerTokens(network);
  const at::Tensor normal = LastNorm(network, rows);
  return Classify(network, normal.reshape({rows.size(0), rows.size(1) / each, each * rows.size(2)}),
                  dropout);
}

}  // namespace hydra::nn
