#include "model/builder/quality/cost.h"

namespace hydra::builder {

Cost& Cost::operator+=(const Cost& other) {
  macs += other.macs;
  parameters += other.parameters;
  weight_bytes += other.weight_bytes;
  return *this;
}

Cost CostOf(const nn::Network& network) {
  const artifact::Geometry& geometry = network.geometry;
  const auto tokens = static_cast<size_t>(network.weights.position.size(0));
  const auto prefix = static_cast<size_t>(network.weights.prefix.size(0));
  const size_t patch_values = geometry.channels * geometry.patch_size * geometry.patch_size;
  const size_t width = geometry.width;
  Cost cost{.macs = (tokens - prefix) * patch_values * width};
  for (const artifact::LayerPlan& plan : network.plan) {
    const size_t inner = nn::PaddedHeads(plan) * geometry.head_width;
    const size_t projections = 4 * tokens * width * inner;
    const size_t attention = 2 * tokens * tokens * inner;
    const size_t mlp = 2 * tokens * width * geometry.mlp_width;
    cost.macs += plan.streams.size() * (projections + attention + mlp);
  }
  cost.macs += network.members * width * geometry.classes;
  nn::Network view = network;  // shares its tensors
  for (const auto& [name, parameter] : nn::NamedParameters(view))
    cost.parameters += static_cast<size_t>(parameter->numel());
  cost.weight_bytes = cost.parameters * sizeof(float);
  return cost;
}

}  // namespace hydra::builder
