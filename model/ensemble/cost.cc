#include "model/ensemble/cost.h"

#include <numeric>

#include "model/nn/readers.h"

namespace hydra::ensemble {
namespace {

// The sizes that every layer's cost is made of.
struct Sizes {
  uint64_t tokens;  // T
  uint64_t asked;   // q: rows with queries, an output projection and an MLP
  uint64_t width;   // D
  uint64_t head;    // d_h
  uint64_t mlp;     // F + F'
};

// Projections and attention of `heads` heads in one stream, without the output projection.
uint64_t AttentionMacs(const Sizes& sizes, uint64_t heads) {
  return heads * sizes.head *
         (2 * sizes.tokens * sizes.width + sizes.asked * sizes.width +
          2 * sizes.asked * sizes.tokens);
}

// One layer of token streams.
uint64_t StreamMacs(const Sizes& sizes, const artifact::LayerPlan& plan) {
  uint64_t macs = plan.shared_qkv ? AttentionMacs(sizes, nn::UnionOfHeads(plan).size()) : 0;
  for (const std::vector<size_t>& heads : plan.heads) {
    if (!plan.shared_qkv) macs += AttentionMacs(sizes, heads.size());
    macs += heads.size() * sizes.head * sizes.asked * sizes.width +
            sizes.asked * sizes.width * sizes.mlp;
  }
  return macs;
}

// The readers' part of one layer.
uint64_t ReaderMacs(const Sizes& sizes, const nn::Network& network, size_t l) {
  const artifact::ReaderPlan& reader = *network.reader;
  uint64_t macs = 0;
  for (const std::vector<size_t>& heads : network.plan[l].heads) {
    const uint64_t own = reader.own_keys_values ? heads.size() : reader.trunk_heads[l].size();
    macs += heads.size() * sizes.head * sizes.asked * 2 * (sizes.width + sizes.tokens);
    macs += own * sizes.head * 2 * sizes.asked * sizes.width;
    macs += sizes.asked * sizes.width * sizes.mlp;
    macs += sizes.asked * reader.mlp_rank * (2 * sizes.width + sizes.mlp);
  }
  return macs;
}

// The layers, with every token in the last one or only those that are read.
uint64_t LayerMacs(const nn::Network& network, Sizes sizes, bool plain) {
  const uint64_t tokens = sizes.tokens;
  const bool first_tokens = network.pooling == "cls" || network.pooling == "cls_distillation";
  const auto answers = static_cast<uint64_t>(nn::AnswerTokens(network));
  uint64_t macs = 0;
  for (size_t l = 0; l < network.plan.size(); ++l) {
    const bool last = l + 1 == network.plan.size();
    sizes.asked = last && first_tokens && !network.causal && !plain ? answers : tokens;
    if (nn::GivesKeysValuesOnly(network, l)) {
      macs += network.reader->trunk_heads[l].size() * sizes.head * 2 * tokens * sizes.width;
    } else {
      macs += StreamMacs(sizes, nn::TokenPlan(network, l));
    }
    if (!network.reader.has_value() || l < network.reader->first_layer) continue;
    sizes.asked = answers;
    macs += ReaderMacs(sizes, network, l);
  }
  return macs;
}

uint64_t Numbers(const nn::Parameter& parameter) {
  return std::accumulate(
      parameter.shape.begin(), parameter.shape.end(), uint64_t{1},
      [](uint64_t product, int64_t side) { return product * static_cast<uint64_t>(side); });
}

// Numbers that a plan's padding adds in memory: [3 or fewer parts] * missing heads * d_h * (D + 1)
// and as many columns of the output projection.
uint64_t PaddingNumbers(const artifact::Geometry& geometry, const artifact::LayerPlan& plan,
                        uint64_t projections) {
  uint64_t missing = 0;
  for (const std::vector<size_t>& heads : plan.heads)
    missing += nn::PaddedHeads(plan) - heads.size();
  return missing * geometry.head_width * (projections * (geometry.width + 1) + geometry.width);
}

uint64_t StoredNumbers(nn::Network view) {
  uint64_t numbers = 0;
  for (const nn::Parameter& parameter : nn::AllParameters(view)) numbers += Numbers(parameter);
  for (size_t l = 0; l < view.plan.size(); ++l) {
    const artifact::LayerPlan plan = nn::TokenPlan(view, l);
    numbers -= PaddingNumbers(view.geometry, plan, plan.shared_qkv ? 0 : 3);
    if (!view.reader.has_value() || l < view.reader->first_layer) continue;
    numbers -= PaddingNumbers(view.geometry, view.plan[l], view.reader->own_keys_values ? 3 : 1);
  }
  return numbers;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  macs += other.macs;
  plain_macs += other.plain_macs;
  encoder_macs += other.encoder_macs;
  parameters += other.parameters;
  weight_bytes += other.weight_bytes;
  return *this;
}

Cost CostOf(const nn::Network& network, size_t tokens) {
  nn::Network view = network;  // shares its tensors
  const artifact::Geometry& geometry = network.geometry;
  if (geometry.patch_size > 0) tokens = static_cast<size_t>(network.weights.position.size(0));
  const Sizes sizes{.tokens = tokens,
                    .asked = tokens,
                    .width = geometry.width,
                    .head = geometry.head_width,
                    .mlp = geometry.mlp_width + nn::HiddenRows(geometry)};
  uint64_t ends = 0;
  for (const nn::Parameter& parameter : nn::EmbeddingParameters(view)) {
    if (parameter.tensor == &view.weights.patch_weight)
      ends += (tokens - static_cast<size_t>(view.weights.prefix.size(0))) * Numbers(parameter);
  }
  for (const nn::Parameter& parameter : nn::HeadParameters(view)) {
    if (parameter.shape.size() == 2) ends += network.members * Numbers(parameter);
  }
  Cost cost;
  cost.encoder_macs = LayerMacs(network, sizes, /*plain=*/true);
  cost.plain_macs = cost.encoder_macs + ends;
  cost.macs = LayerMacs(network, sizes, /*plain=*/false) + ends;
  cost.parameters = StoredNumbers(view);
  cost.weight_bytes = 4 * cost.parameters;
  return cost;
}

}  // namespace hydra::ensemble
