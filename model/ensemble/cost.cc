#include "model/ensemble/cost.h"

#include <numeric>

namespace hydra::ensemble {
namespace {

// Adds one layer of the plan.
void AddLayer(const artifact::Geometry& geometry, const artifact::LayerPlan& plan, uint64_t tokens,
              Cost& cost) {
  const uint64_t width = geometry.width, mlp = geometry.mlp_width, streams = plan.streams.size();
  const uint64_t hidden = nn::HiddenRows(geometry);
  const uint64_t mlps = plan.shared_mlp ? 1 : streams, norms = plan.shared_norms ? 1 : streams;
  for (const std::vector<size_t>& heads : plan.heads) {
    const uint64_t inner = heads.size() * geometry.head_width;
    cost.encoder_macs += inner * (4 * tokens * width + 2 * tokens * tokens);
    cost.parameters += 3 * inner * (width + 1) + inner * width + width;
  }
  cost.encoder_macs += streams * tokens * width * (mlp + hidden);
  cost.parameters += mlps * (width * (mlp + hidden) + width + hidden) + norms * 4 * width;
}

uint64_t Numbers(const nn::Parameter& parameter) {
  return std::accumulate(
      parameter.shape.begin(), parameter.shape.end(), uint64_t{1},
      [](uint64_t product, int64_t side) { return product * static_cast<uint64_t>(side); });
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  macs += other.macs;
  encoder_macs += other.encoder_macs;
  parameters += other.parameters;
  weight_bytes += other.weight_bytes;
  return *this;
}

Cost CostOf(const nn::Network& network, size_t tokens) {
  nn::Network view = network;  // shares its tensors
  const artifact::Geometry& geometry = network.geometry;
  const bool images = geometry.patch_size > 0;
  if (images) tokens = static_cast<size_t>(network.weights.position.size(0));
  const uint64_t groups = network.shared_classifier ? 1 : network.members;
  Cost cost;
  for (const artifact::LayerPlan& plan : network.plan) AddLayer(geometry, plan, tokens, cost);
  cost.macs = cost.encoder_macs;
  for (const nn::Parameter& parameter : nn::EmbeddingParameters(view)) {
    cost.parameters += Numbers(parameter);
    if (parameter.tensor == &view.weights.patch_weight)
      cost.macs += (tokens - static_cast<size_t>(view.weights.prefix.size(0))) * Numbers(parameter);
  }
  for (const nn::Parameter& parameter : nn::HeadParameters(view)) {
    cost.parameters += groups * Numbers(parameter);
    if (parameter.shape.size() == 2) cost.macs += network.members * Numbers(parameter);
  }
  cost.weight_bytes = 4 * cost.parameters;
  return cost;
}

}  // namespace hydra::ensemble
