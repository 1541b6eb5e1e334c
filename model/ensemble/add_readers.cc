#include "model/ensemble/add_readers.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/readers.h"

namespace hydra::ensemble {
namespace {

using nn::LayerWeights;
using nn::Network;
using nn::ReaderWeights;

absl::Status CheckOptions(const Network& base, const ReaderOptions& options) {
  const size_t layers = base.geometry.layers;
  if (base.members != 1 || base.reader.has_value())
    return absl::InvalidArgumentError(
        absl::StrCat("readers: got a base of ", base.members, " members, want a single model"));
  if (options.members < 1)
    return absl::InvalidArgumentError("readers: members: got 0, want at least 1");
  if (options.layers < 1 || options.layers > layers) {
    return absl::InvalidArgumentError(
        absl::StrCat("readers: layers: got ", options.layers, ", want 1..", layers));
  }
  if (options.kept.empty()) return absl::OkStatus();
  const bool fits = options.kept.size() == options.members &&
                    std::all_of(options.kept.begin(), options.kept.end(),
                                [&](const KeptHeads& kept) { return kept.size() == layers; });
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("readers: kept heads: got ", options.kept.size(),
                                                 " members, want ", options.members, ", each with ",
                                                 layers, " layers"));
}

// For each member the places of its heads among those of the base, padded with the first.
std::vector<int64_t> Places(const artifact::LayerPlan& plan, const std::vector<size_t>& base,
                            size_t member) {
  std::vector<int64_t> places;
  for (const size_t head : plan.heads[member])
    places.push_back(std::lower_bound(base.begin(), base.end(), head) - base.begin());
  return places;
}

// `part` of q (0), k (1), v (2) of the base's projections, [K*d_h, ...], at these heads, padded
// with zeros.
at::Tensor Rows(const at::Tensor& qkv, int64_t part, const std::vector<int64_t>& places,
                const artifact::LayerPlan& plan, int64_t width) {
  const int64_t inner = qkv.size(1) / 3;
  std::vector<int64_t> split = {inner / width, width};
  const std::vector<int64_t> rest(qkv.sizes().begin() + 2, qkv.sizes().end());
  split.insert(split.end(), rest.begin(), rest.end());
  const at::Tensor heads = qkv[0]
                               .narrow(0, part * inner, inner)
                               .reshape(split)
                               .index_select(0, at::tensor(places, at::kLong));
  const auto padded = static_cast<int64_t>(nn::PaddedHeads(plan));
  std::vector<int64_t> shape = split;
  shape[0] = padded;
  at::Tensor rows = at::zeros(shape);
  rows.narrow(0, 0, heads.size(0)).copy_(heads);
  return rows.flatten(0, 1);
}

at::Tensor Columns(const at::Tensor& out, const std::vector<int64_t>& places,
                   const artifact::LayerPlan& plan, int64_t width) {
  const int64_t rows = out.size(1), heads = out.size(2) / width;
  const auto padded = static_cast<int64_t>(nn::PaddedHeads(plan));
  at::Tensor columns = at::zeros({rows, padded, width});
  columns.narrow(1, 0, static_cast<int64_t>(places.size()))
      .copy_(out[0].view({rows, heads, width}).index_select(1, at::tensor(places, at::kLong)));
  return columns.flatten(1);
}

at::Tensor Repeat(const at::Tensor& tensor, size_t members) {
  return tensor.expand({static_cast<int64_t>(members), -1}).contiguous();
}

// Factors of a difference that starts at zero.
void AddLowRank(const Network& network, base::Rng& rng, ReaderWeights& reader) {
  const auto members = static_cast<int64_t>(network.members);
  const auto rank = static_cast<int64_t>(network.reader->mlp_rank);
  const auto width = static_cast<int64_t>(network.geometry.width);
  const auto mlp = static_cast<int64_t>(network.geometry.mlp_width);
  const auto hidden = static_cast<int64_t>(nn::HiddenRows(network.geometry));
  const auto random = [&](int64_t inputs) {
    at::Tensor down = at::empty({members, rank, inputs});
    const double scale = 1.0 / std::sqrt(static_cast<double>(inputs));
    float* values = down.data_ptr<float>();
    for (int64_t i = 0; i < down.numel(); ++i) values[i] = static_cast<float>(scale * rng.Normal());
    return down;
  };
  reader.fc1_down = random(width);
  reader.fc1_up = at::zeros({members, hidden, rank});
  reader.fc2_down = random(mlp);
  reader.fc2_up = at::zeros({members, width, rank});
}

ReaderWeights MakeReaders(const Network& base, const Network& network, size_t l) {
  const LayerWeights& source = base.weights.layers[l];
  const artifact::LayerPlan& plan = network.plan[l];
  const auto width = static_cast<int64_t>(base.geometry.head_width);
  const size_t members = network.members;
  std::vector<at::Tensor> query, query_bias, key_value, key_value_bias, out;
  for (size_t m = 0; m < members; ++m) {
    const std::vector<int64_t> places = Places(plan, base.plan[l].heads.front(), m);
    const auto rows = [&](const at::Tensor& qkv, int64_t part) {
      return Rows(qkv, part, places, plan, width);
    };
    query.push_back(rows(source.qkv_weight, 0));
    query_bias.push_back(rows(source.qkv_bias, 0));
    key_value.push_back(at::cat({rows(source.qkv_weight, 1), rows(source.qkv_weight, 2)}));
    key_value_bias.push_back(at::cat({rows(source.qkv_bias, 1), rows(source.qkv_bias, 2)}));
    out.push_back(Columns(source.out_weight, places, plan, width));
  }
  ReaderWeights reader{.norm1_weight = Repeat(source.norm1_weight, members),
                       .norm1_bias = Repeat(source.norm1_bias, members),
                       .query_weight = at::stack(query),
                       .query_bias = at::stack(query_bias),
                       .out_weight = at::stack(out),
                       .out_bias = Repeat(source.out_bias, members),
                       .norm2_weight = Repeat(source.norm2_weight, members),
                       .norm2_bias = Repeat(source.norm2_bias, members)};
  if (network.reader->own_keys_values) {
    reader.key_value_weight = at::stack(key_value);
    reader.key_value_bias = at::stack(key_value_bias);
  }
  if (network.reader->mlp == "own") {
    const auto copies = static_cast<int64_t>(members);
    reader.fc1_weight = source.fc1_weight.expand({copies, -1, -1}).contiguous();
    reader.fc1_bias = Repeat(source.fc1_bias, members);
    reader.fc2_weight = source.fc2_weight.expand({copies, -1, -1}).contiguous();
    reader.fc2_bias = Repeat(source.fc2_bias, members);
  }
  return reader;
}

// Plan of the readers' layers, and of the trunk's before them.
std::vector<artifact::LayerPlan> PlanReaders(const Network& base, const ReaderOptions& options) {
  std::vector<artifact::LayerPlan> plan = nn::FullPlan(base.geometry, options.members);
  for (size_t l = 0; l < plan.size(); ++l) {
    const std::vector<size_t>& trunk = base.plan[l].heads.front();
    plan[l].heads.front() = trunk;
    if (l + options.layers < plan.size()) continue;
    plan[l] = {.shared_mlp = options.mlp == "tied", .shared_norms = false};
    for (size_t m = 0; m < options.members; ++m) {
      plan[l].streams.push_back({m});
      plan[l].heads.push_back(options.kept.empty() ? trunk : options.kept[m][l]);
    }
  }
  return plan;
}

// What a trunk's last layer keeps: keys, values and the MLP that readers share.
void KeepKeysValues(const artifact::ReaderPlan& plan, LayerWeights& layer) {
  const int64_t inner = layer.qkv_weight.size(1) / 3;
  LayerWeights kept{
      .norm1_weight = layer.norm1_weight,
      .norm1_bias = layer.norm1_bias,
      .qkv_weight = layer.qkv_weight.narrow(1, inner, 2 * inner).contiguous(),
      .qkv_bias = layer.qkv_bias.narrow(1, inner, 2 * inner).contiguous(),
  };
  if (plan.mlp != "own") {
    kept.fc1_weight = layer.fc1_weight;
    kept.fc1_bias = layer.fc1_bias;
    kept.fc2_weight = layer.fc2_weight;
    kept.fc2_bias = layer.fc2_bias;
  }
  layer = kept;
}

}  // namespace

absl::StatusOr<Network> AddReaders(const Network& base, const ReaderOptions& options) {
  HYDRA_RETURN_IF_ERROR(CheckOptions(base, options));
  return nn::CatchTorch("add readers", [&]() -> absl::StatusOr<Network> {
    Network network = nn::Clone(base);
    network.members = options.members;
    network.plan = PlanReaders(base, options);
    network.shared_classifier = options.members == 1;
    artifact::ReaderPlan& plan = network.reader.emplace();
    plan.first_layer = base.geometry.layers - options.layers;
    plan.query_rows = static_cast<size_t>(nn::AnswerTokens(base));
    plan.mlp = options.mlp;
    plan.mlp_rank = options.mlp_rank;
    plan.own_keys_values = options.own_keys_values;
    for (const artifact::LayerPlan& layer : base.plan)
      plan.trunk_heads.push_back(layer.heads.front());
    network.weights.readers.resize(options.layers);
    HYDRA_RETURN_IF_ERROR(nn::CheckReaders(network));
    base::Rng rng = base::Rng::ForPurpose(options.seed, "low-rank readers");
    for (size_t r = 0; r < options.layers; ++r) {
      network.weights.readers[r] = MakeReaders(base, network, plan.first_layer + r);
      if (plan.mlp == "low_rank") AddLowRank(network, rng, network.weights.readers[r]);
    }
    KeepKeysValues(plan, network.weights.layers.back());
    const auto members = static_cast<int64_t>(options.members);
    for (const nn::Parameter& parameter : nn::HeadParameters(network)) {
      std::vector<int64_t> copies(parameter.shape.size() + 1, -1);
      copies[0] = members;
      *parameter.tensor = parameter.tensor->expand(copies).contiguous();
    }
    HYDRA_RETURN_IF_ERROR(nn::CheckNetwork(network));
    return network;
  });
}

}  // namespace hydra::ensemble
