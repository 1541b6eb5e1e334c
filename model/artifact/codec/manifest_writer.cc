#include "model/artifact/codec/json_reader.h"
#include "model/artifact/codec/manifest_codec.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact::codec {
namespace {

using Json = nlohmann::ordered_json;

Json GeometryJson(const Geometry& geometry, const std::string& family) {
  Json json = {
      {"layers", geometry.layers},
      {"width", geometry.width},
      {"heads", geometry.heads},
      {"head_width", geometry.head_width},
      {"mlp_width", geometry.mlp_width},
      {"classes", geometry.classes},
      {"activation", geometry.activation},
      {"layer_norm_epsilon", geometry.layer_norm_epsilon},
      {"qkv_bias", geometry.qkv_bias},
      {"layer_scale", geometry.layer_scale},
      {"register_tokens", geometry.register_tokens},
      {"projection_width", geometry.projection_width},
  };
  // Written only where they differ, so that bundles of families that lack them stay as they were.
  if (!geometry.norm_first) json["norm_first"] = false;
  if (geometry.embedding_norm) json["embedding_norm"] = true;
  if (geometry.pooler != "none") json["pooler"] = geometry.pooler;
  if (IsImageFamily(family)) {
    json["image_height"] = geometry.image_height;
    json["image_width"] = geometry.image_width;
    json["channels"] = geometry.channels;
    json["patch_size"] = geometry.patch_size;
  }
  if (IsTextFamily(family)) {
    json["vocabulary"] = geometry.vocabulary;
    json["max_positions"] = geometry.max_positions;
    json["token_types"] = geometry.token_types;
  }
  return json;
}

Json LayersJson(const std::vector<LayerPlan>& layers) {
  Json json = Json::array();
  for (const LayerPlan& plan : layers) {
    json.push_back({{"streams", plan.streams},
                    {"heads", plan.heads},
                    {"shared_mlp", plan.shared_mlp},
                    {"shared_norms", plan.shared_norms},
                    {"shared_qkv", plan.shared_qkv}});
  }
  return json;
}

Json ProvenanceJson(const Provenance& provenance) {
  Json json = {{"base_digest", provenance.base_digest},
               {"data_digests", provenance.data_digests},
               {"recipe", provenance.recipe},
               {"seed", provenance.seed},
               {"tool_version", provenance.tool_version}};
  if (!provenance.created.empty()) json["created"] = provenance.created;
  json["choices"] = provenance.choices;
  return json;
}

Json ReaderJson(const ReaderPlan& plan) {
  return {{"first_layer", plan.first_layer},
          {"query_rows", plan.query_rows},
          {"mlp", plan.mlp},
          {"mlp_rank", plan.mlp_rank},
          {"own_keys_values", plan.own_keys_values},
          {"trunk_heads", plan.trunk_heads}};
}

Json NoveltyJson(const NoveltyPlan& plan) {
  return {{"method", plan.method},
          {"layer", plan.layer},
          {"token", plan.token},
          {"neighbours", plan.neighbours}};
}

}  // namespace

absl::StatusOr<std::string> EncodeManifest(const Manifest& manifest) {
  Json json = {
      {"format_version", manifest.format_version},
      {"name", manifest.name},
      {"family", manifest.family},
      {"geometry", GeometryJson(manifest.geometry, manifest.family)},
      {"members", manifest.members},
      {"member_mode", manifest.member_mode == MemberMode::kReader ? "reader" : "full"},
      {"branch_layer", manifest.branch_layer},
      {"layers", LayersJson(manifest.layers)},
      {"shared_classifier", manifest.shared_classifier},
      {"pooling", manifest.pooling},
      {"dtype", manifest.dtype},
      {"provenance", ProvenanceJson(manifest.provenance)},
  };
  if (manifest.reader.has_value()) json["reader"] = ReaderJson(*manifest.reader);
  if (manifest.novelty.has_value()) json["novelty"] = NoveltyJson(*manifest.novelty);
  return DumpJson(json, kManifestFile);
}

}  // namespace hydra::artifact::codec
