#include "model/nn/readers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"

namespace hydra::nn {
namespace {

absl::Status CheckPlan(const Network& network) {
  const artifact::ReaderPlan& reader = *network.reader;
  const size_t layers = network.geometry.layers;
  if (reader.first_layer >= layers || reader.trunk_heads.size() != layers ||
      network.weights.readers.size() != layers - reader.first_layer) {
    return absl::FailedPreconditionError(absl::StrCat(
        "readers: got first layer ", reader.first_layer, ", trunk heads of ",
        reader.trunk_heads.size(), " layers and ", network.weights.readers.size(),
        " parameter sets, want a first layer below ", layers, " and the rest accordingly"));
  }
  if (network.causal || (network.pooling != "cls" && network.pooling != "cls_distillation")) {
    return absl::FailedPreconditionError(
        absl::StrCat("readers: got pooling \"", network.pooling,
                     "\", want \"cls\" or \"cls_distillation\": readers are CLS streams"));
  }
  const bool known = reader.mlp == "tied" || reader.mlp == "low_rank" || reader.mlp == "own";
  if (known && (reader.mlp_rank > 0) == (reader.mlp == "low_rank")) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("readers: got mlp \"", reader.mlp,
                                                    "\" of rank ", reader.mlp_rank,
                                                    ", want tied, own, or low_rank with a rank"));
}

absl::Status CheckHeads(const Network& network, size_t l) {
  const std::vector<size_t>& trunk = network.reader->trunk_heads[l];
  for (const size_t head : UnionOfHeads(network.plan[l])) {
    if (std::binary_search(trunk.begin(), trunk.end(), head)) continue;
    return absl::FailedPreconditionError(absl::StrCat("readers.", l, ": got head ", head,
                                                      ", want one of the trunk's in this layer"));
  }
  return absl::OkStatus();
}

}  // namespace

artifact::LayerPlan TokenPlan(const Network& network, size_t l) {
  if (!network.reader.has_value()) return network.plan[l];
  artifact::LayerPlan trunk = FullPlan(network.geometry, network.members).front();
  trunk.heads.front() = network.reader->trunk_heads[l];
  return trunk;
}

bool GivesKeysValuesOnly(const Network& network, size_t l) {
  return network.reader.has_value() && l + 1 == network.geometry.layers;
}

int64_t AnswerTokens(const Network& network) {
  return network.pooling == "cls_distillation" ? 2 : 1;
}

std::vector<Parameter> ReaderParameters(Network& network, size_t l) {
  const artifact::ReaderPlan& plan = *network.reader;
  ReaderWeights& reader = network.weights.readers[l - plan.first_layer];
  const auto members = static_cast<int64_t>(network.members);
  const auto width = static_cast<int64_t>(network.geometry.width);
  const auto mlp = static_cast<int64_t>(network.geometry.mlp_width);
  const auto hidden = static_cast<int64_t>(HiddenRows(network.geometry));
  const auto rank = static_cast<int64_t>(plan.mlp_rank);
  const auto inner =
      static_cast<int64_t>(PaddedHeads(network.plan[l]) * network.geometry.head_width);
  std::vector<Parameter> parameters = {
      {"norm1.weight", &reader.norm1_weight, {members, width}},
      {"norm1.bias", &reader.norm1_bias, {members, width}},
      {"query.weight", &reader.query_weight, {members, inner, width}},
      {"query.bias", &reader.query_bias, {members, inner}},
      {"out.weight", &reader.out_weight, {members, width, inner}},
      {"out.bias", &reader.out_bias, {members, width}},
      {"norm2.weight", &reader.norm2_weight, {members, width}},
      {"norm2.bias", &reader.norm2_bias, {members, width}}};
  if (plan.mlp == "own") {
    parameters.push_back({"fc1.weight", &reader.fc1_weight, {members, hidden, width}});
    parameters.push_back({"fc1.bias", &reader.fc1_bias, {members, hidden}});
    parameters.push_back({"fc2.weight", &reader.fc2_weight, {members, width, mlp}});
    parameters.push_back({"fc2.bias", &reader.fc2_bias, {members, width}});
  }
  if (plan.own_keys_values) {
    parameters.push_back(
        {"key_value.weight", &reader.key_value_weight, {members, 2 * inner, width}});
    parameters.push_back({"key_value.bias", &reader.key_value_bias, {members, 2 * inner}});
  }
  if (plan.mlp == "low_rank") {
    parameters.push_back({"fc1.down", &reader.fc1_down, {members, rank, width}});
    parameters.push_back({"fc1.up", &reader.fc1_up, {members, hidden, rank}});
    parameters.push_back({"fc2.down", &reader.fc2_down, {members, rank, mlp}});
    parameters.push_back({"fc2.up", &reader.fc2_up, {members, width, rank}});
  }
  for (Parameter& parameter : parameters)
    parameter.name = absl::StrCat("readers.", l, ".", parameter.name);
  return parameters;
}

std::vector<Parameter> KeyValueParameters(Network& network) {
  const artifact::Geometry& geometry = network.geometry;
  LayerWeights& layer = network.weights.layers.back();
  const auto width = static_cast<int64_t>(geometry.width);
  const auto mlp = static_cast<int64_t>(geometry.mlp_width);
  const auto hidden = static_cast<int64_t>(HiddenRows(geometry));
  const auto inner =
      static_cast<int64_t>(network.reader->trunk_heads.back().size() * geometry.head_width);
  std::vector<Parameter> parameters;
  if (geometry.norm_first) {
    parameters = {{"norm1.weight", &layer.norm1_weight, {1, width}},
                  {"norm1.bias", &layer.norm1_bias, {1, width}}};
  }
  parameters.push_back({"key_value.weight", &layer.qkv_weight, {1, 2 * inner, width}});
  parameters.push_back({"key_value.bias", &layer.qkv_bias, {1, 2 * inner}});
  if (network.reader->mlp != "own") {
    parameters.push_back({"fc1.weight", &layer.fc1_weight, {1, hidden, width}});
    parameters.push_back({"fc1.bias", &layer.fc1_bias, {1, hidden}});
    parameters.push_back({"fc2.weight", &layer.fc2_weight, {1, width, mlp}});
    parameters.push_back({"fc2.bias", &layer.fc2_bias, {1, width}});
  }
  for (Parameter& parameter : parameters)
    parameter.name = absl::StrCat("layers.", geometry.layers - 1, ".", parameter.name);
  return parameters;
}

absl::Status CheckReaders(const Network& network) {
  HYDRA_RETURN_IF_ERROR(CheckPlan(network));
  for (size_t l = network.reader->first_layer; l < network.geometry.layers; ++l)
    HYDRA_RETURN_IF_ERROR(CheckHeads(network, l));
  return absl::OkStatus();
}

}  // namespace hydra::nn
