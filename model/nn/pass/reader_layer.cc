#include "model/nn/pass/reader_layer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/nn/grouped.h"
#include "model/nn/readers.h"

namespace hydra::nn {
namespace {

// For each reader the places of its heads among the trunk's: int64 [M, K].  A padded head has the
// place after the last, which nothing is read from.
at::Tensor HeadPlaces(const Network& network, size_t layer) {
  const artifact::LayerPlan& plan = network.plan[layer];
  const std::vector<size_t>& trunk = network.reader->trunk_heads[layer];
  const size_t padded = PaddedHeads(plan);
  std::vector<int64_t> places;
  for (const std::vector<size_t>& kept : plan.heads) {
    for (size_t k = 0; k < padded; ++k) {
      const auto place =
          k < kept.size() ? std::lower_bound(trunk.begin(), trunk.end(), kept[k]) : trunk.end();
      places.push_back(place - trunk.begin());
    }
  }
  return at::tensor(places, at::kLong)
      .view({static_cast<int64_t>(plan.heads.size()), static_cast<int64_t>(padded)});
}

// Every reader keeps every head of the trunk.
bool KeepAll(const Network& network, size_t layer) {
  const std::vector<size_t>& trunk = network.reader->trunk_heads[layer];
  const auto& heads = network.plan[layer].heads;
  return std::all_of(heads.begin(), heads.end(),
                     [&](const std::vector<size_t>& kept) { return kept == trunk; });
}

// [M, N, K, d_h] at the readers' heads -> [M, N, K_t, d_h] at the trunk's, zero elsewhere.
at::Tensor Spread(const at::Tensor& x, const at::Tensor& places, int64_t trunk_heads) {
  const at::Tensor index = places.view({places.size(0), 1, places.size(1), 1}).expand_as(x);
  return at::zeros({x.size(0), x.size(1), trunk_heads + 1, x.size(3)}, x.options())
      .scatter(2, index, x)
      .narrow(2, 0, trunk_heads);
}

// [M, N, K_t, d_h] -> [M, N, K, d_h]; a padded head gets zeros.
at::Tensor Gather(const at::Tensor& x, const at::Tensor& places) {
  const at::Tensor padded = at::constant_pad_nd(x, {0, 0, 0, 1});
  const at::Tensor index = places.view({places.size(0), 1, places.size(1), 1})
                               .expand({x.size(0), x.size(1), places.size(1), x.size(3)});
  return at::gather(padded, 2, index);
}

// What the readers ask with and answer themselves: [M, n, q, K_t, d_h] each.
struct Own {
  at::Tensor queries, keys, values;

  Own Select(const at::Tensor& inputs) const {
    return {queries.index_select(1, inputs), keys.index_select(1, inputs),
            values.index_select(1, inputs)};
  }
};

// [M, n, q, K, d_h] -> [n, K, M, q, d_h].
at::Tensor ByInput(const at::Tensor& x) { return x.permute({1, 3, 0, 2, 4}); }

// keys_values: [1, n*T, 2, K, d_h] of one group -> contexts [M, n, q, K, d_h].  The rows of all
// readers are more queries to the same keys, so that those are read once.
at::Tensor AttendGroup(const Own& own, const at::Tensor& keys_values, const SequenceGroup& group,
                       double dropout) {
  const int64_t readers = own.queries.size(0), each = own.queries.size(2);
  const int64_t heads = own.queries.size(3), width = own.queries.size(4);
  const auto count = static_cast<int64_t>(group.inputs.size());
  const at::Tensor trunk = keys_values.view({count, group.tokens, 2, heads, width})
                               .narrow(1, each, group.tokens - each)
                               .permute({2, 0, 3, 1, 4});  // [2, n, K, T-q, d_h]
  const double scale = 1.0 / std::sqrt(static_cast<double>(width));
  const at::Tensor queries = ByInput(own.queries) * scale;  // [n, K, M, q, d_h]
  at::Tensor scores = at::matmul(queries.flatten(2, 3), trunk[0].transpose(2, 3));
  if (group.mask.defined()) {
    scores = scores + group.mask.narrow(3, each, group.tokens - each).to(scores.scalar_type());
  }
  const at::Tensor self = at::matmul(queries, ByInput(own.keys).transpose(3, 4)).flatten(2, 3);
  at::Tensor weights = at::softmax(at::cat({self, scores}, 3), -1);  // [n, K, M*q, T]
  if (dropout > 0.0) weights = at::dropout(weights, dropout, /*train=*/true);
  const at::Tensor from_self = at::matmul(
      weights.narrow(3, 0, each).view({count, heads, readers, each, each}), ByInput(own.values));
  const at::Tensor from_trunk = at::matmul(weights.narrow(3, each, group.tokens - each), trunk[1])
                                    .view({count, heads, readers, each, width});
  return (from_self + from_trunk).permute({2, 0, 3, 1, 4});
}

// [M, n, q, K, d_h] of all inputs.
at::Tensor Attend(const Own& own, const at::Tensor& keys_values, const Sequences& sequences,
                  double dropout) {
  if (!sequences.restore.defined())
    return AttendGroup(own, keys_values, sequences.groups.front(), dropout);
  std::vector<at::Tensor> contexts;
  std::vector<int64_t> place(static_cast<size_t>(sequences.batch));
  int64_t next = 0;
  for (const SequenceGroup& group : sequences.groups) {
    const at::Tensor inputs = at::tensor(group.inputs, at::kLong);
    contexts.push_back(
        AttendGroup(own.Select(inputs), keys_values.index_select(1, group.gather), group, dropout));
    for (const int64_t input : group.inputs) place[static_cast<size_t>(input)] = next++;
  }
  return at::cat(contexts, 1).index_select(1, at::tensor(place, at::kLong));
}

// The readers' own keys and values, [M, N, 2, K_t, d_h]: by their projections or the trunk's.
at::Tensor OwnKeysValues(const Network& network, size_t layer, const at::Tensor& normal,
                         const at::Tensor& places) {
  const ReaderWeights& weights = network.weights.readers[layer - network.reader->first_layer];
  const auto trunk_heads = static_cast<int64_t>(network.reader->trunk_heads[layer].size());
  const auto width = static_cast<int64_t>(network.geometry.head_width);
  const int64_t members = normal.size(0), rows = normal.size(1);
  if (!network.reader->own_keys_values) {
    const LayerWeights& trunk = network.weights.layers[layer];
    const int64_t inner = 2 * trunk_heads * width;
    const int64_t first = trunk.qkv_weight.size(1) - inner;
    return GroupedLinear(normal, trunk.qkv_weight.narrow(1, first, inner),
                         trunk.qkv_bias.narrow(1, first, inner))
        .view({members, rows, 2, trunk_heads, width});
  }
  const at::Tensor own = GroupedLinear(normal, weights.key_value_weight, weights.key_value_bias)
                             .view({members, rows, 2, -1, width});
  if (KeepAll(network, layer)) return own;
  return at::stack({Spread(own.select(2, 0), places, trunk_heads),
                    Spread(own.select(2, 1), places, trunk_heads)},
                   2);
}

// normal: [M, B*q, D] -> attention output [M, B*q, D].
at::Tensor AttentionBlock(const Pass& pass, size_t layer, const at::Tensor& normal,
                          const at::Tensor& qkv) {
  const Network& network = pass.network;
  const ReaderWeights& weights = network.weights.readers[layer - network.reader->first_layer];
  const int64_t members = normal.size(0), rows = normal.size(1), batch = pass.sequences.batch;
  if (PaddedHeads(network.plan[layer]) == 0) {
    return weights.out_bias.unsqueeze(1).expand({-1, rows, -1});
  }
  const bool all = KeepAll(network, layer);
  const at::Tensor places = HeadPlaces(network, layer);
  const auto width = static_cast<int64_t>(network.geometry.head_width);
  at::Tensor queries = GroupedLinear(normal, weights.query_weight, weights.query_bias)
                           .view({members, rows, -1, width});
  if (!all) queries = Spread(queries, places, qkv.size(3));
  const at::Tensor keys_values = OwnKeysValues(network, layer, normal, places);
  const auto by_input = [&](const at::Tensor& x) {
    return x.reshape({members, batch, rows / batch, x.size(2), width});
  };
  const Own own{by_input(queries), by_input(keys_values.select(2, 0)),
                by_input(keys_values.select(2, 1))};
  const bool text = network.geometry.vocabulary > 0;
  at::Tensor context = Attend(own, qkv.narrow(2, qkv.size(2) - 2, 2), pass.sequences,
                              text ? pass.options.dropout : 0.0)
                           .reshape({members, rows, -1, width});
  if (!all) context = Gather(context, places);
  return GroupedLinear(context.flatten(2), weights.out_weight, weights.out_bias);
}

// up (down x) beside a shared matrix; undefined `down`: nothing.
at::Tensor AddLowRank(const at::Tensor& shared, const at::Tensor& x, const at::Tensor& down,
                      const at::Tensor& up) {
  if (!down.defined()) return shared;
  return shared + GroupedLinear(GroupedLinear(x, down, {}), up, {});
}

at::Tensor MlpBlock(const Pass& pass, size_t layer, const at::Tensor& x) {
  const ReaderWeights& own = pass.network.weights.readers[layer - pass.network.reader->first_layer];
  const LayerWeights& trunk = pass.network.weights.layers[layer];
  const bool has_own = own.fc1_weight.defined();
  const at::Tensor hidden =
      Activate(AddLowRank(GroupedLinear(x, has_own ? own.fc1_weight : trunk.fc1_weight,
                                        has_own ? own.fc1_bias : trunk.fc1_bias),
                          x, own.fc1_down, own.fc1_up),
               pass.network.geometry.activation);
  return AddLowRank(GroupedLinear(hidden, has_own ? own.fc2_weight : trunk.fc2_weight,
                                  has_own ? own.fc2_bias : trunk.fc2_bias),
                    hidden, own.fc2_down, own.fc2_up);
}

}  // namespace

at::Tensor StartReaders(const Pass& pass, const at::Tensor& x) {
  const auto members = static_cast<int64_t>(pass.network.members);
  return x.index_select(1, AnswerRows(pass.network, pass.sequences)).expand({members, -1, -1});
}

at::Tensor ReaderLayer(const Pass& pass, size_t layer, const at::Tensor& readers,
                       const at::Tensor& qkv) {
  const artifact::Geometry& geometry = pass.network.geometry;
  const ReaderWeights& weights =
      pass.network.weights.readers[layer - pass.network.reader->first_layer];
  const auto norm1 = [&](const at::Tensor& x) {
    return GroupedLayerNorm(x, weights.norm1_weight, weights.norm1_bias,
                            geometry.layer_norm_epsilon);
  };
  const auto norm2 = [&](const at::Tensor& x) {
    return GroupedLayerNorm(x, weights.norm2_weight, weights.norm2_bias,
                            geometry.layer_norm_epsilon);
  };
  const auto attention = [&](const at::Tensor& x) {
    return Dropout(AttentionBlock(pass, layer, x, qkv), pass.options);
  };
  const auto mlp = [&](const at::Tensor& x) {
    return Dropout(MlpBlock(pass, layer, x), pass.options);
  };
  if (geometry.norm_first) {
    const at::Tensor x = readers + attention(norm1(readers));
    return x + mlp(norm2(x));
  }
  const at::Tensor x = norm1(readers + attention(readers));
  return norm2(x + mlp(x));
}

}  // namespace hydra::nn
