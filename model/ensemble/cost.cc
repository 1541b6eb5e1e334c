#include "model/ensemble/cost.h"

namespace hydra::ensemble {
namespace {

// Adds one layer of the plan.
void AddLayer(const artifact::Geometry& geometry, const artifact::LayerPlan& plan, uint64_t tokens,
              Cost& cost) {
  const uint64_t width = geometry.width, mlp = geometry.mlp_width, streams = plan.streams.size();
  const uint64_t mlps = plan.shared_mlp ? 1 : streams, norms = plan.shared_norms ? 1 : streams;
  for (const std::vector<size_t>& heads : plan.heads) {
    const uint64_t inner = heads.size() * geometry.head_width;
    cost.encoder_macs += inner * (4 * tokens * width + 2 * tokens * tokens);
    cost.parameters += 3 * inner * (width + 1) + inner * width + width;
  }
  cost.encoder_macs += streams * 2 * tokens * width * mlp;
  cost.parameters += mlps * (2 * width * mlp + width + mlp) + norms * 4 * width;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  macs += other.macs;
  encoder_macs += other.encoder_macs;
  parameters += other.parameters;
  weight_bytes += other.weight_bytes;
  return *this;
}

Cost CostOf(const nn::Network& network) {
  const artifact::Geometry& geometry = network.geometry;
  const auto tokens = static_cast<uint64_t>(network.weights.position.size(0));
  const auto prefix = static_cast<uint64_t>(network.weights.prefix.size(0));
  const uint64_t patch_values = geometry.channels * geometry.patch_size * geometry.patch_size;
  const uint64_t width = geometry.width, classes = geometry.classes;
  const uint64_t classifiers = network.shared_classifier ? 1 : network.members;
  Cost cost;
  for (const artifact::LayerPlan& plan : network.plan) AddLayer(geometry, plan, tokens, cost);
  cost.macs = cost.encoder_macs + (tokens - prefix) * patch_values * width +
              network.members * width * classes;
  cost.parameters += width * (patch_values + 1) + (prefix + tokens) * width;
  cost.parameters += classifiers * (2 * width + classes * (width + 1));
  cost.weight_bytes = 4 * cost.parameters;
  return cost;
}

}  // namespace hydra::ensemble
