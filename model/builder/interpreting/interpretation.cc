#include "model/builder/interpreting/interpretation.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/artifact/codec/head_facts_codec.h"
#include "model/artifact/codec/json_reader.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using artifact::codec::HeadTableShape;
using artifact::codec::JsonDocument;
using artifact::codec::JsonNode;
using artifact::codec::JsonObject;
using Json = nlohmann::ordered_json;

constexpr size_t kMaxFileBytes = size_t{64} << 20;
constexpr size_t kMaxCount = 4096;  // far above any encoder
constexpr size_t kMaxShown = 64;    // inputs or heads of a gallery

Json GalleryJson(const Gallery& gallery) {
  Json heads = Json::array();
  for (const auto& [layer, head] : gallery.heads) heads.push_back(Json::array({layer, head}));
  return {{"heads", heads}, {"inputs", gallery.inputs}, {"pictures", gallery.pictures}};
}

Gallery ReadGallery(const JsonNode& node) {
  JsonObject object(node);
  Gallery gallery;
  for (const JsonNode& place : object["heads"].Items({0, kMaxShown})) {
    const std::vector<size_t> pair = place.Counts({2, 2}, {0, kMaxCount});
    if (pair.size() == 2) gallery.heads.push_back({.layer = pair[0], .head = pair[1]});
  }
  for (const JsonNode& input : object["inputs"].Items({0, kMaxShown})) {
    gallery.inputs.push_back(input.TextOrEmpty());
  }
  gallery.pictures = object["pictures"].Flag();
  return gallery;
}

void ReadBody(JsonObject& root, Interpretation& out) {
  out.layers = root["layers"].Count({1, kMaxCount});
  out.heads = root["heads"].Count({1, kMaxCount});
  const HeadTableShape shape{.layers = out.layers, .heads = out.heads};
  out.clusters = artifact::codec::ReadClusters(root["clusters"], shape);
  out.clustering = artifact::codec::ReadClustering(root["clustering"], out.clusters);
  if (root.Has("effects")) out.effects = artifact::codec::ReadEffects(root["effects"], shape);
  out.choices = root["choices"].TextMap();
  out.gallery = ReadGallery(root["gallery"]);
}

}  // namespace

std::string EncodeInterpretation(const Interpretation& interpretation) {
  Json json = {{"layers", interpretation.layers},
               {"heads", interpretation.heads},
               {"clusters", interpretation.clusters},
               {"clustering", artifact::codec::ClusteringJson(interpretation.clustering)}};
  if (interpretation.effects) {
    json["effects"] = artifact::codec::EffectsJson(*interpretation.effects);
  }
  json["choices"] = interpretation.choices;
  json["gallery"] = GalleryJson(interpretation.gallery);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<Interpretation> ParseInterpretation(absl::string_view text) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, kInterpretFile));
  Interpretation interpretation;
  {
    JsonObject root(document.root());
    ReadBody(root, interpretation);
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return interpretation;
}

absl::StatusOr<Interpretation> ReadInterpretation(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(
      const std::string text,
      base::ReadFile(absl::StrCat(directory, "/", kInterpretFile), kMaxFileBytes));
  return ParseInterpretation(text);
}

absl::Status AddToHeadMap(const Interpretation& interpretation, artifact::HeadMap& map) {
  if (interpretation.layers != map.layers || interpretation.heads != map.heads) {
    return absl::FailedPreconditionError(
        absl::StrCat(kInterpretFile, ": got ", interpretation.layers, " layers of ",
                     interpretation.heads, " heads, want ", map.layers, " of ", map.heads));
  }
  map.clusters = interpretation.clusters;
  map.clustering = interpretation.clustering;
  map.effects = interpretation.effects;
  for (const auto& [name, value] : interpretation.choices) map.provenance.choices[name] = value;
  return absl::OkStatus();
}

std::string PictureFile(size_t input) { return absl::StrCat("input-", input, ".png"); }

std::string MapFile(size_t input, size_t head) {
  return absl::StrCat("map-", input, "-", head, ".png");
}

}  // namespace hydra::builder
