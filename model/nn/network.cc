#include "model/nn/network.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"
#include "model/nn/readers.h"

namespace hydra::nn {
namespace {

using Shape = std::vector<int64_t>;

absl::Status CheckPadding(const std::string& layer, const Network& network, size_t index) {
  const artifact::LayerPlan plan = TokenPlan(network, index);
  if (plan.shared_qkv || plan.streams.size() == 1) return absl::OkStatus();
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

absl::Status CheckChoice(const char* name, const std::string& value,
                         const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(name, ": got \"", value, "\", want one of: ", absl::StrJoin(choices, ", ")));
}

Shape Grouped(int64_t groups, const Shape& shape) {
  Shape grouped = {groups};
  grouped.insert(grouped.end(), shape.begin(), shape.end());
  return grouped;
}

absl::Status CheckChoices(const Network& network) {
  HYDRA_RETURN_IF_ERROR(CheckChoice("geometry.activation", network.geometry.activation,
                                    {"gelu", "gelu_tanh", "quick_gelu", "relu", "swiglu"}));
  HYDRA_RETURN_IF_ERROR(
      CheckChoice("geometry.pooler", network.geometry.pooler, {"none", "tanh", "relu"}));
  return CheckChoice("pooling", network.pooling,
                     {"cls", "mean", "cls_mean", "cls_distillation", "last"});
}

}  // namespace

absl::Status CheckParameter(const std::string& name, const at::Tensor& tensor, const Shape& want) {
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

size_t FeatureWidth(const Network& network) {
  if (network.geometry.projection_width > 0) return network.geometry.projection_width;
  const bool two = network.pooling == "cls_mean" || network.pooling == "cls_distillation";
  return network.geometry.width * (two ? 2 : 1);
}

size_t HiddenRows(const artifact::Geometry& geometry) {
  return geometry.mlp_width * (geometry.activation == "swiglu" ? 2 : 1);
}

size_t PrefixTokens(const std::string& family, const artifact::Geometry& geometry) {
  return (family == "deit" ? 2 : 1) + geometry.register_tokens;
}

std::vector<Parameter> EmbeddingParameters(Network& network) {
  const artifact::Geometry& geometry = network.geometry;
  EncoderWeights& weights = network.weights;
  const auto width = static_cast<int64_t>(geometry.width);
  std::vector<Parameter> parameters;
  if (geometry.patch_size > 0) {
    const auto patch = static_cast<int64_t>(geometry.patch_size);
    const int64_t patches = (static_cast<int64_t>(geometry.image_height) / patch) *
                            (static_cast<int64_t>(geometry.image_width) / patch);
    // The number of prefix tokens is the tensor's own; DecodeWeights checks it against the family.
    const int64_t prefix = weights.prefix.defined() ? weights.prefix.size(0) : 1;
    const int64_t values = static_cast<int64_t>(geometry.channels) * patch * patch;
    parameters = {{"patch.weight", &weights.patch_weight, {width, values}},
                  {"patch.bias", &weights.patch_bias, {width}},
                  {"prefix", &weights.prefix, {prefix, width}},
                  {"position", &weights.position, {prefix + patches, width}}};
  } else {
    parameters = {
        {"word", &weights.word, {static_cast<int64_t>(geometry.vocabulary), width}},
        {"position", &weights.position, {static_cast<int64_t>(geometry.max_positions), width}}};
  }
  if (geometry.embedding_norm) {
    parameters.push_back({"embedding_norm.weight", &weights.embedding_norm_weight, {width}});
    parameters.push_back({"embedding_norm.bias", &weights.embedding_norm_bias, {width}});
  }
  return parameters;
}

std::vector<Parameter> HeadParameters(Network& network) {
  const artifact::Geometry& geometry = network.geometry;
  EncoderWeights& weights = network.weights;
  const auto width = static_cast<int64_t>(geometry.width);
  std::vector<Parameter> parameters;
  if (geometry.norm_first) {
    parameters.push_back({"final_norm.weight", &weights.final_norm_weight, {width}});
    parameters.push_back({"final_norm.bias", &weights.final_norm_bias, {width}});
  }
  if (geometry.pooler != "none") {
    parameters.push_back({"pooler.weight", &weights.pooler_weight, {width, width}});
    parameters.push_back({"pooler.bias", &weights.pooler_bias, {width}});
  }
  if (geometry.projection_width > 0) {
    const auto joint = static_cast<int64_t>(geometry.projection_width);
    parameters.push_back({"projection", &weights.projection, {joint, width}});
  }
  if (geometry.classes > 0) {
    const auto classes = static_cast<int64_t>(geometry.classes);
    const auto inputs = static_cast<int64_t>(FeatureWidth(network));
    parameters.push_back({"classifier.weight", &weights.classifier_weight, {classes, inputs}});
    parameters.push_back({"classifier.bias", &weights.classifier_bias, {classes}});
  }
  return parameters;
}

std::vector<Parameter> LayerParameters(Network& network, size_t l) {
  if (GivesKeysValuesOnly(network, l)) return KeyValueParameters(network);
  const artifact::Geometry& geometry = network.geometry;
  const artifact::LayerPlan plan = TokenPlan(network, l);
  LayerWeights& layer = network.weights.layers[l];
  const auto width = static_cast<int64_t>(geometry.width);
  const auto mlp = static_cast<int64_t>(geometry.mlp_width);
  const auto hidden = static_cast<int64_t>(HiddenRows(geometry));
  const auto streams = static_cast<int64_t>(plan.streams.size());
  const auto inner = static_cast<int64_t>(PaddedHeads(plan) * geometry.head_width);
  const int64_t norms = plan.shared_norms ? 1 : streams, mlps = plan.shared_mlp ? 1 : streams;
  const int64_t projections = plan.shared_qkv ? 1 : streams;
  const auto asked = static_cast<int64_t>(
      plan.shared_qkv ? UnionOfHeads(plan).size() * geometry.head_width : inner);
  const std::string name = absl::StrCat("layers.", l, ".");
  return {{name + "norm1.weight", &layer.norm1_weight, {norms, width}},
          {name + "norm1.bias", &layer.norm1_bias, {norms, width}},
          {name + "qkv.weight", &layer.qkv_weight, {projections, 3 * asked, width}},
          {name + "qkv.bias", &layer.qkv_bias, {projections, 3 * asked}},
          {name + "out.weight", &layer.out_weight, {streams, width, inner}},
          {name + "out.bias", &layer.out_bias, {streams, width}},
          {name + "norm2.weight", &layer.norm2_weight, {norms, width}},
          {name + "norm2.bias", &layer.norm2_bias, {norms, width}},
          {name + "fc1.weight", &layer.fc1_weight, {mlps, hidden, width}},
          {name + "fc1.bias", &layer.fc1_bias, {mlps, hidden}},
          {name + "fc2.weight", &layer.fc2_weight, {mlps, width, mlp}},
          {name + "fc2.bias", &layer.fc2_bias, {mlps, width}}};
}

std::vector<Parameter> AllParameters(Network& network) {
  std::vector<Parameter> all = EmbeddingParameters(network);
  const auto append = [&all](const std::vector<Parameter>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (size_t l = 0; l < network.weights.layers.size(); ++l) append(LayerParameters(network, l));
  for (size_t r = 0; r < network.weights.readers.size(); ++r)
    append(ReaderParameters(network, network.reader->first_layer + r));
  const int64_t groups = network.shared_classifier ? 1 : static_cast<int64_t>(network.members);
  for (const Parameter& parameter : HeadParameters(network))
    all.push_back({parameter.name, parameter.tensor, Grouped(groups, parameter.shape)});
  return all;
}

std::vector<std::pair<std::string, at::Tensor*>> NamedParameters(Network& network) {
  std::vector<std::pair<std::string, at::Tensor*>> named;
  for (const Parameter& parameter : AllParameters(network))
    named.emplace_back(parameter.name, parameter.tensor);
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

std::vector<size_t> UnionOfHeads(const artifact::LayerPlan& plan) {
  std::set<size_t> heads;
  for (const std::vector<size_t>& kept : plan.heads) heads.insert(kept.begin(), kept.end());
  return {heads.begin(), heads.end()};
}

size_t PaddedHeads(const artifact::LayerPlan& plan) {
  size_t most = 0;
  for (const std::vector<size_t>& kept : plan.heads) most = std::max(most, kept.size());
  return most;
}

absl::Status CheckNetwork(const Network& network) {
  HYDRA_RETURN_IF_ERROR(CheckChoices(network));
  if (network.plan.size() != network.geometry.layers ||
      network.weights.layers.size() != network.geometry.layers) {
    return absl::FailedPreconditionError(absl::StrCat(
        "layers: got ", network.plan.size(), " plans and ", network.weights.layers.size(),
        " parameter sets, want ", network.geometry.layers));
  }
  if (network.reader.has_value()) HYDRA_RETURN_IF_ERROR(CheckReaders(network));
  Network view = network;  // shares its tensors
  for (const Parameter& parameter : AllParameters(view))
    HYDRA_RETURN_IF_ERROR(CheckParameter(parameter.name, *parameter.tensor, parameter.shape));
  for (size_t l = 0; l < network.plan.size(); ++l)
    HYDRA_RETURN_IF_ERROR(CheckPadding(absl::StrCat("layers.", l), network, l));
  return absl::OkStatus();
}

void RoundMatricesToBFloat16(Network& network) {
  EncoderWeights& weights = network.weights;
  std::vector<at::Tensor*> matrices;
  if (network.geometry.patch_size > 0) matrices = {&weights.patch_weight, &weights.patch_bias};
  for (LayerWeights& layer : weights.layers) {
    matrices.insert(matrices.end(),
                    {&layer.qkv_weight, &layer.qkv_bias, &layer.out_weight, &layer.out_bias,
                     &layer.fc1_weight, &layer.fc1_bias, &layer.fc2_weight, &layer.fc2_bias});
  }
  for (ReaderWeights& reader : weights.readers) {
    matrices.insert(matrices.end(),
                    {&reader.query_weight, &reader.query_bias, &reader.key_value_weight,
                     &reader.key_value_bias, &reader.out_weight, &reader.out_bias,
                     &reader.fc1_weight, &reader.fc1_bias, &reader.fc2_weight, &reader.fc2_bias,
                     &reader.fc1_down, &reader.fc1_up, &reader.fc2_down, &reader.fc2_up});
  }
  matrices.erase(std::remove_if(matrices.begin(), matrices.end(),
                                [](const at::Tensor* matrix) { return !matrix->defined(); }),
                 matrices.end());
  for (at::Tensor* matrix : matrices) *matrix = matrix->to(at::kBFloat16);
}

Network Clone(const Network& network) {
  Network copy = network;
  for (auto& [name, tensor] : NamedParameters(copy)) *tensor = tensor->detach().clone();
  return copy;
}

}  // namespace hydra::nn
