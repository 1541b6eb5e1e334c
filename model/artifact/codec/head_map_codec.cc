#include "model/artifact/codec/head_map_codec.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/head_facts_codec.h"
#include "model/artifact/codec/head_overlap.h"
#include "model/artifact/codec/json_reader.h"
#include "model/artifact/codec/vocabulary.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact::codec {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxTables = 256;
constexpr double kOverlapTolerance = 1e-6;  // of a ratio of two counts, written in decimal

CountRange Exactly(size_t count) { return {count, count}; }

// The heads that each member keeps in one layer of the manifest.
std::vector<std::vector<size_t>> HeadsOfMembers(const LayerPlan& plan, size_t members) {
  std::vector<std::vector<size_t>> kept(members);
  for (size_t s = 0; s < plan.streams.size(); ++s) {
    for (const size_t m : plan.streams[s]) kept[m] = plan.heads[s];
  }
  return kept;
}

void ReadKept(const JsonNode& node, const Manifest& manifest, HeadMap& map) {
  for (const JsonNode& layer : node.Items(Exactly(map.layers))) {
    std::vector<std::vector<size_t>> members;
    const auto wanted = HeadsOfMembers(manifest.layers[map.kept.size()], map.members);
    for (const JsonNode& member : layer.Items(Exactly(map.members))) {
      members.push_back(member.Counts({0, map.heads}, {0, map.heads - 1}));
      if (members.back() != wanted[members.size() - 1]) {
        member.Fail("got other heads than manifest.json");
      }
    }
    map.kept.push_back(std::move(members));
  }
}

HeadImportance ReadImportance(const JsonNode& node, const HeadMap& map) {
  JsonObject object(node);
  HeadImportance importance;
  importance.method = object["method"].Text(100);
  if (object.Has("member")) importance.member = object["member"].Count({0, map.members - 1});
  for (const JsonNode& layer : object["values"].Items(Exactly(map.layers))) {
    importance.values.push_back(layer.Reals(Exactly(map.heads), kFinite));
  }
  return importance;
}

void ReadOverlap(const JsonNode& node, HeadMap& map) {
  for (const JsonNode& row : node.Items(Exactly(map.members))) {
    map.overlap.push_back(row.Reals(Exactly(map.members), {0.0, 1.0}));
  }
  if (map.overlap.size() != map.members || map.kept.size() != map.layers) return;
  for (const auto& layer : map.kept) {
    if (layer.size() != map.members) return;  // already an error
  }
  const auto wanted = MemberOverlap(map.kept);
  for (size_t a = 0; a < map.members; ++a) {
    if (map.overlap[a].size() != map.members) return;
    for (size_t b = 0; b < map.members; ++b) {
      if (std::abs(map.overlap[a][b] - wanted[a][b]) <= kOverlapTolerance) continue;
      node.Fail(absl::StrCat("[", a, "][", b, "]: got ", map.overlap[a][b], ", want ", wanted[a][b],
                             " of the kept heads"));
    }
  }
}

HeadMapProvenance ReadProvenance(const JsonNode& node) {
  JsonObject object(node);
  HeadMapProvenance provenance;
  provenance.selection = object["selection"].Text();
  if (object.Has("data_digest")) provenance.data_digest = object["data_digest"].Digest();
  provenance.seed = object["seed"].Count({0, std::numeric_limits<uint64_t>::max()});
  provenance.choices = object["choices"].TextMap();
  return provenance;
}

void ReadBody(JsonObject& root, const Manifest& manifest, HeadMap& map) {
  map.layers = root["layers"].Count(Exactly(manifest.layers.size()));
  map.members = root["members"].Count(Exactly(manifest.members));
  map.heads = root["heads"].Count(Exactly(manifest.geometry.heads));
  ReadKept(root["kept"], manifest, map);
  for (const JsonNode& item : root["importance"].Items({0, kMaxTables})) {
    map.importance.push_back(ReadImportance(item, map));
  }
  if (root.Has("clusters")) {
    map.clusters = ReadClusters(root["clusters"], {map.layers, map.heads});
  }
  if (root.Has("clustering")) {
    map.clustering = ReadClustering(root["clustering"], map.clusters);
  }
  if (root.Has("effects")) map.effects = ReadEffects(root["effects"], {map.layers, map.heads});
  ReadOverlap(root["overlap"], map);
  map.provenance = ReadProvenance(root["provenance"]);
}

Json ImportanceJson(const HeadImportance& importance) {
  Json json = {{"method", importance.method}};
  if (importance.member.has_value()) json["member"] = *importance.member;
  json["values"] = importance.values;
  return json;
}

}  // namespace

absl::StatusOr<HeadMap> ParseHeadMap(absl::string_view text, const Manifest& manifest) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, kHeadMapFile));
  HeadMap map;
  {
    JsonObject root(document.root());
    ReadBody(root, manifest, map);
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return map;
}

absl::StatusOr<std::string> EncodeHeadMap(const HeadMap& head_map) {
  Json json = {{"layers", head_map.layers},   {"members", head_map.members},
               {"heads", head_map.heads},     {"kept", head_map.kept},
               {"importance", Json::array()}, {"overlap", head_map.overlap}};
  for (const HeadImportance& importance : head_map.importance) {
    json["importance"].push_back(ImportanceJson(importance));
  }
  if (!head_map.clusters.empty()) json["clusters"] = head_map.clusters;
  if (head_map.clustering) json["clustering"] = ClusteringJson(*head_map.clustering);
  if (head_map.effects) json["effects"] = EffectsJson(*head_map.effects);
  Json provenance = {{"selection", head_map.provenance.selection},
                     {"seed", head_map.provenance.seed},
                     {"choices", head_map.provenance.choices}};
  if (!head_map.provenance.data_digest.empty()) {
    provenance["data_digest"] = head_map.provenance.data_digest;
  }
  json["provenance"] = std::move(provenance);
  return DumpJson(json, kHeadMapFile);
}

}  // namespace hydra::artifact::codec
