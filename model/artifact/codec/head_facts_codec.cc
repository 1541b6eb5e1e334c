#include "model/artifact/codec/head_facts_codec.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/vocabulary.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact::codec {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxInputs = 1'000'000'000;

CountRange Exactly(size_t count) { return {count, count}; }

std::vector<std::vector<double>> ReadTable(const JsonNode& node, HeadTableShape shape,
                                           const RealRange& range) {
  std::vector<std::vector<double>> table;
  for (const JsonNode& layer : node.Items(Exactly(shape.layers))) {
    table.push_back(layer.Reals(Exactly(shape.heads), range));
  }
  return table;
}

// Every cluster is named by one of its own heads, and by nothing else.
void CheckClustering(const JsonNode& node, const std::vector<HeadPlace>& places,
                     const std::vector<std::vector<size_t>>& clusters) {
  if (clusters.empty()) node.Fail("want clusters beside it");
  for (size_t c = 0; c < places.size(); ++c) {
    const auto& [layer, head] = places[c];
    const bool inside = layer < clusters.size() && head < clusters[layer].size();
    if (inside && clusters[layer][head] == c) continue;
    node.Fail(absl::StrCat("representatives[", c, "]: got layer ", layer, ", head ", head,
                           ", want a head of cluster ", c));
  }
  for (const std::vector<size_t>& layer : clusters) {
    for (const size_t cluster : layer) {
      if (cluster < places.size()) continue;
      node.Fail(
          absl::StrCat("representatives: got ", places.size(), ", want one for cluster ", cluster));
      return;
    }
  }
}

}  // namespace

std::vector<std::vector<size_t>> ReadClusters(const JsonNode& node, HeadTableShape shape) {
  std::vector<std::vector<size_t>> clusters;
  for (const JsonNode& layer : node.Items(Exactly(shape.layers))) {
    clusters.push_back(layer.Counts(Exactly(shape.heads), {0, kMaxHeads * kMaxLayers}));
  }
  return clusters;
}

HeadClustering ReadClustering(const JsonNode& node,
                              const std::vector<std::vector<size_t>>& clusters) {
  JsonObject object(node);
  HeadClustering clustering;
  for (const JsonNode& place : object["representatives"].Items({2, kMaxHeads * kMaxLayers})) {
    const std::vector<size_t> pair =
        place.Counts(Exactly(2), {0, std::max(kMaxHeads, kMaxLayers) - 1});
    if (pair.size() != 2) continue;  // already an error
    clustering.representatives.push_back({.layer = pair[0], .head = pair[1]});
  }
  clustering.davies_bouldin = object["davies_bouldin"].Real(kFinite);
  clustering.silhouette = object["silhouette"].Real({-1.0, 1.0});
  clustering.inputs = object["inputs"].Count({2, kMaxInputs});
  clustering.affinity = object["affinity"].Text(100);
  CheckClustering(node, clustering.representatives, clusters);
  return clustering;
}

HeadEffects ReadEffects(const JsonNode& node, HeadTableShape shape) {
  JsonObject object(node);
  HeadEffects effects;
  effects.inputs = object["inputs"].Count({1, kMaxInputs});
  effects.nll_nats = object["nll_nats"].Real(kFinite);
  effects.accuracy = object["accuracy"].Real({0.0, 1.0});
  effects.nll_change_nats = ReadTable(object["nll_change_nats"], shape, kFinite);
  effects.accuracy_change = ReadTable(object["accuracy_change"], shape, {-1.0, 1.0});
  return effects;
}

nlohmann::ordered_json ClusteringJson(const HeadClustering& clustering) {
  Json places = Json::array();
  for (const auto& [layer, head] : clustering.representatives) {
    places.push_back(Json::array({layer, head}));
  }
  return {{"representatives", places},
          {"davies_bouldin", clustering.davies_bouldin},
          {"silhouette", clustering.silhouette},
          {"inputs", clustering.inputs},
          {"affinity", clustering.affinity}};
}

nlohmann::ordered_json EffectsJson(const HeadEffects& effects) {
  return {{"inputs", effects.inputs},
          {"nll_nats", effects.nll_nats},
          {"accuracy", effects.accuracy},
          {"nll_change_nats", effects.nll_change_nats},
          {"accuracy_change", effects.accuracy_change}};
}

}  // namespace hydra::artifact::codec
