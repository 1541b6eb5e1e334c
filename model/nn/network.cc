#include "model/nn/network.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"

namespace hydra::nn {
namespace {

struct LayerField {
  const char* name;
  at::Tensor LayerWeights::*member;
};

constexpr LayerField kLayerFields[] = {
    {"norm1.weight", &LayerWeights::norm1_weight}, {"norm1.bias", &LayerWeights::norm1_bias},
    {"qkv.weight", &LayerWeights::qkv_weight},     {"qkv.bias", &LayerWeights::qkv_bias},
    {"out.weight", &LayerWeights::out_weight},     {"out.bias", &LayerWeights::out_bias},
    {"norm2.weight", &LayerWeights::norm2_weight}, {"norm2.bias", &LayerWeights::norm2_bias},
    {"fc1.weight", &LayerWeights::fc1_weight},     {"fc1.bias", &LayerWeights::fc1_bias},
    {"fc2.weight", &LayerWeights::fc2_weight},     {"fc2.bias", &LayerWeights::fc2_bias},
};

using Shape = std::vector<int64_t>;

absl::Status CheckOne(const std::string& name, const at::Tensor& tensor, const Shape& want) {
  if (!tensor.defined()) {
    return absl::FailedPreconditionError(absl::StrCat(name, ": missing"));
  }
  if (tensor.sizes() != at::IntArrayRef(want)) {
    return absl::FailedPreconditionError(absl::StrCat(name, ": got [",
                                                      absl::StrJoin(tensor.sizes(), ", "),
                                                      "], want [", absl::StrJoin(want, ", "), "]"));
  }
  return absl::OkStatus();
}

std::vector<Shape> LayerShapes(const artifact::Geometry& geometry,
                               const artifact::LayerPlan& plan) {
  const auto width = static_cast<int64_t>(geometry.width);
  const auto mlp = static_cast<int64_t>(geometry.mlp_width);
  const auto streams = static_cast<int64_t>(plan.streams.size());
  const auto inner = static_cast<int64_t>(PaddedHeads(plan) * geometry.head_width);
  const int64_t norms = plan.shared_norms ? 1 : streams;
  const int64_t mlps = plan.shared_mlp ? 1 : streams;
  return {{norms, width},       {norms, width},          {streams, 3 * inner, width},
          {streams, 3 * inner}, {streams, width, inner}, {streams, width},
          {norms, width},       {norms, width},          {mlps, mlp, width},
          {mlps, mlp},          {mlps, width, mlp},      {mlps, width}};
}

absl::Status CheckPadding(const std::string& layer, const Network& network, size_t index) {
  const artifact::LayerPlan& plan = network.plan[index];
  const LayerWeights& weights = network.weights.layers[index];
  const auto padded = static_cast<int64_t>(PaddedHeads(plan));
  const auto head_width = static_cast<int64_t>(network.geometry.head_width);
  for (size_t s = 0; s < plan.streams.size(); ++s) {
    const auto kept = static_cast<int64_t>(plan.heads[s].size());
    if (kept == padded) continue;
    const auto stream = static_cast<int64_t>(s);
    const at::Tensor qkv = weights.qkv_weight.select(0, stream)
                               .view({3, padded, head_width, -1})
                               .narrow(1, kept, padded - kept);
    const at::Tensor bias = weights.qkv_bias.select(0, stream)
                                .view({3, padded, head_width})
                                .narrow(1, kept, padded - kept);
    const at::Tensor out = weights.out_weight.select(0, stream).narrow(
        1, kept * head_width, (padded - kept) * head_width);
    if (qkv.any().item<bool>() || bias.any().item<bool>() || out.any().item<bool>()) {
      return absl::FailedPreconditionError(
          absl::StrCat(layer, ": stream ", s, " has a padded head that is not zero"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckEnds(const Network& network) {
  const artifact::Geometry& geometry = network.geometry;
  const EncoderWeights& weights = network.weights;
  const auto width = static_cast<int64_t>(geometry.width);
  const auto classes = static_cast<int64_t>(geometry.classes);
  const auto patch = static_cast<int64_t>(geometry.patch_size);
  const int64_t patches = (static_cast<int64_t>(geometry.image_height) / patch) *
                          (static_cast<int64_t>(geometry.image_width) / patch);
  const int64_t group = network.shared_classifier ? 1 : static_cast<int64_t>(network.members);
  const int64_t prefix = weights.prefix.defined() ? weights.prefix.size(0) : 1;
  HYDRA_RETURN_IF_ERROR(CheckOne("patch.weight", weights.patch_weight,
                                 {width, static_cast<int64_t>(geometry.channels) * patch * patch}));
  HYDRA_RETURN_IF_ERROR(CheckOne("patch.bias", weights.patch_bias, {width}));
  HYDRA_RETURN_IF_ERROR(CheckOne("prefix", weights.prefix, {prefix, width}));
  HYDRA_RETURN_IF_ERROR(CheckOne("position", weights.position, {prefix + patches, width}));
  HYDRA_RETURN_IF_ERROR(CheckOne("final_norm.weight", weights.final_norm_weight, {group, width}));
  HYDRA_RETURN_IF_ERROR(CheckOne("final_norm.bias", weights.final_norm_bias, {group, width}));
  HYDRA_RETURN_IF_ERROR(
      CheckOne("classifier.weight", weights.classifier_weight, {group, classes, width}));
  return CheckOne("classifier.bias", weights.classifier_bias, {group, classes});
}

}  // namespace

std::vector<std::pair<std::string, at::Tensor*>> NamedParameters(Network& network) {
  EncoderWeights& weights = network.weights;
  std::vector<std::pair<std::string, at::Tensor*>> named = {{"patch.weight", &weights.patch_weight},
                                                            {"patch.bias", &weights.patch_bias},
                                                            {"prefix", &weights.prefix},
                                                            {"position", &weights.position}};
  for (size_t l = 0; l < weights.layers.size(); ++l) {
    for (const LayerField& field : kLayerFields) {
      named.emplace_back(absl::StrCat("layers.", l, ".", field.name),
                         &(weights.layers[l].*field.member));
    }
  }
  named.emplace_back("final_norm.weight", &weights.final_norm_weight);
  named.emplace_back("final_norm.bias", &weights.final_norm_bias);
  named.emplace_back("classifier.weight", &weights.classifier_weight);
  named.emplace_back("classifier.bias", &weights.classifier_bias);
  return named;
}

std::vector<artifact::LayerPlan> FullPlan(const artifact::Geometry& geometry, size_t members) {
  artifact::LayerPlan layer;
  layer.streams.emplace_back();
  layer.heads.emplace_back();
  for (size_t m = 0; m < members; ++m) layer.streams[0].push_back(m);
  for (size_t h = 0; h < geometry.heads; ++h) layer.heads[0].push_back(h);
  return std::vector<artifact::LayerPlan>(geometry.layers, layer);
}

size_t PaddedHeads(const artifact::LayerPlan& plan) {
  size_t most = 0;
  for (const std::vector<size_t>& kept : plan.heads) most = std::max(most, kept.size());
  return most;
}

absl::Status CheckNetwork(const Network& network) {
  const std::string& activation = network.geometry.activation;
  if (activation != "gelu" && activation != "gelu_tanh" && activation != "quick_gelu" &&
      activation != "relu") {
    return absl::FailedPreconditionError(absl::StrCat(
        "geometry.activation: got \"", activation, "\", want gelu, gelu_tanh, quick_gelu or relu"));
  }
  if (network.plan.size() != network.geometry.layers ||
      network.weights.layers.size() != network.geometry.layers) {
    return absl::FailedPreconditionError(absl::StrCat(
        "layers: got ", network.plan.size(), " plans and ", network.weights.layers.size(),
        " parameter sets, want ", network.geometry.layers));
  }
  HYDRA_RETURN_IF_ERROR(CheckEnds(network));
  for (size_t l = 0; l < network.plan.size(); ++l) {
    const std::string layer = absl::StrCat("layers.", l);
    const std::vector<Shape> shapes = LayerShapes(network.geometry, network.plan[l]);
    for (size_t f = 0; f < shapes.size(); ++f) {
      HYDRA_RETURN_IF_ERROR(CheckOne(absl::StrCat(layer, ".", kLayerFields[f].name),
                                     network.weights.layers[l].*kLayerFields[f].member, shapes[f]));
    }
    HYDRA_RETURN_IF_ERROR(CheckPadding(layer, network, l));
  }
  return absl::OkStatus();
}

void RoundMatricesToBFloat16(Network& network) {
  EncoderWeights& weights = network.weights;
  std::vector<at::Tensor*> matrices = {&weights.patch_weight, &weights.patch_bias};
  for (LayerWeights& layer : weights.layers) {
    matrices.insert(matrices.end(),
                    {&layer.qkv_weight, &layer.qkv_bias, &layer.out_weight, &layer.out_bias,
                     &layer.fc1_weight, &layer.fc1_bias, &layer.fc2_weight, &layer.fc2_bias});
  }
  for (at::Tensor* matrix : matrices) *matrix = matrix->to(at::kBFloat16);
}

Network Clone(const Network& network) {
  Network copy = network;
  for (auto& [name, tensor] : NamedParameters(copy)) *tensor = tensor->detach().clone();
  return copy;
}

}  // namespace hydra::nn
