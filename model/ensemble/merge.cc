#include "model/ensemble/merge.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"

namespace hydra::ensemble {
namespace {

using nn::LayerWeights;
using nn::Network;

absl::Status CheckMembers(const std::vector<Network>& members) {
  if (members.empty())
    return absl::InvalidArgumentError("merge members: got none, want at least 1");
  for (size_t m = 0; m < members.size(); ++m) {
    const artifact::Geometry& geometry = members[m].geometry;
    const artifact::Geometry& first = members.front().geometry;
    const bool equal = geometry == first && members[m].pooling == members.front().pooling;
    if (members[m].members != 1 || !equal) {
      return absl::InvalidArgumentError(absl::StrCat(
          "merge members: member ", m, " has ", members[m].members,
          " members or another geometry than member 0, want single networks of one geometry"));
    }
  }
  return absl::OkStatus();
}

at::Tensor Average(const std::vector<at::Tensor>& parts) {
  return parts.size() == 1 ? parts.front().clone()
                           : at::stack(parts).to(at::kDouble).mean(0).to(at::kFloat);
}

// One parameter of every member.
template <typename Get>
std::vector<at::Tensor> Collect(const std::vector<Network>& members, const Get& get) {
  std::vector<at::Tensor> parts;
  for (const Network& member : members) parts.push_back(get(member));
  return parts;
}

bool SameAttention(const Network& a, const Network& b, size_t layer) {
  const LayerWeights& x = a.weights.layers[layer];
  const LayerWeights& y = b.weights.layers[layer];
  return a.plan[layer].heads == b.plan[layer].heads && at::equal(x.qkv_weight, y.qkv_weight) &&
         at::equal(x.qkv_bias, y.qkv_bias) && at::equal(x.out_weight, y.out_weight) &&
         at::equal(x.out_bias, y.out_bias);
}

bool SameNorms(const LayerWeights& x, const LayerWeights& y) {
  return at::equal(x.norm1_weight, y.norm1_weight) && at::equal(x.norm1_bias, y.norm1_bias) &&
         at::equal(x.norm2_weight, y.norm2_weight) && at::equal(x.norm2_bias, y.norm2_bias);
}

bool SameMlp(const LayerWeights& x, const LayerWeights& y) {
  return at::equal(x.fc1_weight, y.fc1_weight) && at::equal(x.fc1_bias, y.fc1_bias) &&
         at::equal(x.fc2_weight, y.fc2_weight) && at::equal(x.fc2_bias, y.fc2_bias);
}

// Splits each stream of the layer before into groups of members that agree in this layer.
std::vector<std::vector<size_t>> RefineStreams(const std::vector<std::vector<size_t>>& before,
                                               const std::vector<Network>& members, size_t layer,
                                               const MergeOptions& options) {
  const auto agree = [&](size_t a, size_t b) {
    const LayerWeights& x = members[a].weights.layers[layer];
    const LayerWeights& y = members[b].weights.layers[layer];
    return layer < options.split_from && SameAttention(members[a], members[b], layer) &&
           (options.norms == MergePart::kAverage || SameNorms(x, y)) &&
           (options.mlp == MergePart::kAverage || SameMlp(x, y));
  };
  std::vector<std::vector<size_t>> streams;
  for (const std::vector<size_t>& parent : before) {
    const size_t first = streams.size();
    for (const size_t m : parent) {
      const auto group =
          std::find_if(streams.begin() + static_cast<std::ptrdiff_t>(first), streams.end(),
                       [&](const std::vector<size_t>& stream) { return agree(stream.front(), m); });
      if (group == streams.end()) {
        streams.push_back({m});
      } else {
        group->push_back(m);
      }
    }
  }
  return streams;
}

// Zero rows (dimension 1 of [1, 3*K*d_h, ...]) up to `padded` heads.
at::Tensor PadQkv(const at::Tensor& tensor, int64_t padded, int64_t head_width) {
  std::vector<int64_t> shape = {3, -1, head_width};
  if (tensor.dim() == 3) shape.push_back(tensor.size(2));
  const int64_t heads = tensor.size(1) / (3 * head_width);
  if (heads == padded) return tensor;
  std::vector<int64_t> zeros = shape;
  shape[1] = heads;
  zeros[1] = padded - heads;
  std::vector<int64_t> result = tensor.sizes().vec();
  result[1] = 3 * padded * head_width;
  return at::cat({tensor.reshape(shape), at::zeros(zeros)}, 1).reshape(result);
}

at::Tensor PadOut(const at::Tensor& tensor, int64_t padded, int64_t head_width) {
  const int64_t missing = padded * head_width - tensor.size(2);
  if (missing == 0) return tensor;
  return at::cat({tensor, at::zeros({1, tensor.size(1), missing})}, 2);
}

// The stacked attention parameters of the members that lead the streams.
void StackAttention(const std::vector<Network>& members, size_t layer, Network& merged) {
  const artifact::LayerPlan& plan = merged.plan[layer];
  const auto padded = static_cast<int64_t>(nn::PaddedHeads(plan));
  const auto head_width = static_cast<int64_t>(merged.geometry.head_width);
  std::vector<at::Tensor> qkv_weight, qkv_bias, out_weight, out_bias;
  for (const std::vector<size_t>& stream : plan.streams) {
    const LayerWeights& source = members[stream.front()].weights.layers[layer];
    qkv_weight.push_back(PadQkv(source.qkv_weight, padded, head_width));
    qkv_bias.push_back(PadQkv(source.qkv_bias, padded, head_width));
    out_weight.push_back(PadOut(source.out_weight, padded, head_width));
    out_bias.push_back(source.out_bias);
  }
  LayerWeights& target = merged.weights.layers[layer];
  target.qkv_weight = at::cat(qkv_weight);
  target.qkv_bias = at::cat(qkv_bias);
  target.out_weight = at::cat(out_weight);
  target.out_bias = at::cat(out_bias);
}

// q/k/v rows and biases of one head of a member, [3, d_h, D + 1].
at::Tensor HeadProjections(const Network& member, size_t layer, size_t head) {
  const LayerWeights& weights = member.weights.layers[layer];
  const std::vector<size_t>& kept = member.plan[layer].heads.front();
  const auto place = std::lower_bound(kept.begin(), kept.end(), head) - kept.begin();
  const auto heads = static_cast<int64_t>(kept.size());
  const auto width = static_cast<int64_t>(member.geometry.head_width);
  const at::Tensor rows = at::cat({weights.qkv_weight[0], weights.qkv_bias[0].unsqueeze(1)}, 1);
  return rows.view({3, heads, width, rows.size(1)}).select(1, place);
}

// The leaders of the streams that keep this head.
std::vector<size_t> Keepers(const artifact::LayerPlan& plan, size_t head) {
  std::vector<size_t> keepers;
  for (size_t s = 0; s < plan.streams.size(); ++s) {
    const std::vector<size_t>& kept = plan.heads[s];
    if (std::binary_search(kept.begin(), kept.end(), head))
      keepers.push_back(plan.streams[s].front());
  }
  return keepers;
}

// Whether what comes before the attention's context is the same for all streams, head by head.
bool SameProjections(const std::vector<Network>& members, size_t layer,
                     const artifact::LayerPlan& plan) {
  const LayerWeights& first = members[plan.streams.front().front()].weights.layers[layer];
  if (members.front().geometry.norm_first) {
    for (const std::vector<size_t>& stream : plan.streams) {
      const LayerWeights& other = members[stream.front()].weights.layers[layer];
      if (!at::equal(first.norm1_weight, other.norm1_weight) ||
          !at::equal(first.norm1_bias, other.norm1_bias))
        return false;
    }
  }
  const std::vector<size_t> heads = nn::UnionOfHeads(plan);
  return !heads.empty() && std::all_of(heads.begin(), heads.end(), [&](size_t head) {
    const std::vector<size_t> keepers = Keepers(plan, head);
    const at::Tensor wanted = HeadProjections(members[keepers.front()], layer, head);
    return std::all_of(keepers.begin(), keepers.end(), [&](size_t member) {
      return at::equal(HeadProjections(members[member], layer, head), wanted);
    });
  });
}

// One set of q/k/v for the union of the streams' heads.
void ShareProjections(const std::vector<Network>& members, size_t layer, Network& merged) {
  std::vector<at::Tensor> heads;
  for (const size_t head : nn::UnionOfHeads(merged.plan[layer])) {
    heads.push_back(
        HeadProjections(members[Keepers(merged.plan[layer], head).front()], layer, head));
  }
  const at::Tensor rows = at::stack(heads, 1).flatten(0, 2);  // [3 * U * d_h, D + 1]
  const int64_t width = rows.size(1) - 1;
  LayerWeights& target = merged.weights.layers[layer];
  target.qkv_weight = rows.narrow(1, 0, width).contiguous().unsqueeze(0);
  target.qkv_bias = rows.select(1, width).contiguous().unsqueeze(0);
}

using LayerParameter = at::Tensor LayerWeights::*;

void MergeLayerPart(const std::vector<Network>& members, size_t layer, MergePart part,
                    LayerParameter parameter, Network& merged) {
  const auto get = [&](const Network& member) { return member.weights.layers[layer].*parameter; };
  at::Tensor& target = merged.weights.layers[layer].*parameter;
  if (part == MergePart::kAverage) {
    target = Average(Collect(members, get));
    return;
  }
  std::vector<at::Tensor> leaders;
  for (const auto& stream : merged.plan[layer].streams)
    leaders.push_back(get(members[stream.front()]));
  target = at::cat(leaders);
}

void MergeLayer(const std::vector<Network>& members, size_t layer, const MergeOptions& options,
                Network& merged) {
  StackAttention(members, layer, merged);
  if (merged.plan[layer].shared_qkv) ShareProjections(members, layer, merged);
  for (const LayerParameter parameter : {&LayerWeights::norm1_weight, &LayerWeights::norm1_bias,
                                         &LayerWeights::norm2_weight, &LayerWeights::norm2_bias}) {
    MergeLayerPart(members, layer, options.norms, parameter, merged);
  }
  for (const LayerParameter parameter : {&LayerWeights::fc1_weight, &LayerWeights::fc1_bias,
                                         &LayerWeights::fc2_weight, &LayerWeights::fc2_bias}) {
    MergeLayerPart(members, layer, options.mlp, parameter, merged);
  }
}

void MergeEnds(const std::vector<Network>& members, const MergeOptions& options, Network& merged) {
  // Views: the lists point to their tensors.
  std::vector<Network> views = members;
  const auto collect = [&](auto list, size_t index) {
    std::vector<at::Tensor> parts;
    for (Network& view : views) parts.push_back(*list(view)[index].tensor);
    return parts;
  };
  const std::vector<nn::Parameter> embeddings = nn::EmbeddingParameters(merged);
  for (size_t i = 0; i < embeddings.size(); ++i)
    *embeddings[i].tensor = Average(collect(nn::EmbeddingParameters, i));
  merged.shared_classifier = members.size() == 1 || options.classifier == MergePart::kAverage;
  const std::vector<nn::Parameter> head = nn::HeadParameters(merged);
  for (size_t i = 0; i < head.size(); ++i) {
    const std::vector<at::Tensor> parts = collect(nn::HeadParameters, i);
    *head[i].tensor = merged.shared_classifier ? Average(parts) : at::cat(parts);
  }
}

}  // namespace

absl::StatusOr<Network> MergeMembers(const std::vector<Network>& members,
                                     const MergeOptions& options) {
  HYDRA_RETURN_IF_ERROR(CheckMembers(members));
  return nn::CatchTorch("merge members", [&]() -> absl::StatusOr<Network> {
    Network merged{.geometry = members.front().geometry,
                   .members = members.size(),
                   .pooling = members.front().pooling,
                   .causal = members.front().causal};
    MergeEnds(members, options, merged);
    std::vector<std::vector<size_t>> streams =
        nn::FullPlan(merged.geometry, members.size()).front().streams;
    for (size_t l = 0; l < merged.geometry.layers; ++l) {
      const bool one_input = streams.size() == 1;
      streams = RefineStreams(streams, members, l, options);
      artifact::LayerPlan plan{.streams = streams,
                               .shared_mlp = options.mlp == MergePart::kAverage,
                               .shared_norms = options.norms == MergePart::kAverage};
      for (const auto& stream : streams)
        plan.heads.push_back(members[stream.front()].plan[l].heads.front());
      plan.shared_qkv = one_input && streams.size() > 1 && SameProjections(members, l, plan);
      merged.plan.push_back(plan);
      merged.weights.layers.emplace_back();
      MergeLayer(members, l, options, merged);
    }
    HYDRA_RETURN_IF_ERROR(nn::CheckNetwork(merged));
    return merged;
  });
}

size_t BranchLayer(const Network& network) {
  size_t layer = 0;
  while (layer < network.plan.size() && network.plan[layer].streams.size() == 1) ++layer;
  return layer;
}

std::vector<std::vector<std::vector<size_t>>> KeptByMember(const Network& network) {
  std::vector<std::vector<std::vector<size_t>>> kept;
  for (const artifact::LayerPlan& layer : network.plan) {
    auto& members = kept.emplace_back(network.members);
    for (size_t s = 0; s < layer.streams.size(); ++s) {
      for (const size_t m : layer.streams[s]) members[m] = layer.heads[s];
    }
  }
  return kept;
}

}  // namespace hydra::ensemble
