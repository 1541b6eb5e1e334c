#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "model/artifact/codec/json_reader.h"
#include "model/artifact/codec/layer_checks.h"
#include "model/artifact/codec/manifest_codec.h"
#include "model/artifact/codec/vocabulary.h"
#include "model/base/status_macros.h"

namespace hydra::artifact::codec {
namespace {

constexpr size_t kMaxWidth = 65536;
constexpr size_t kMaxRecipeBytes = 256 << 10;
constexpr size_t kMaxNameBytes = 63;

std::string ReadName(const JsonNode& node) {
  std::string name = node.Text(kMaxNameBytes);
  const bool good = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c)) ||
           absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  });
  if (!name.empty() && (!good || !absl::ascii_isalnum(static_cast<unsigned char>(name[0])))) {
    node.Fail("want [a-z0-9][a-z0-9._-]{0,62}");
  }
  return name;
}

void ReadImageGeometry(JsonObject& object, Geometry& geometry) {
  geometry.image_height = object["image_height"].Count({1, kMaxSide});
  geometry.image_width = object["image_width"].Count({1, kMaxSide});
  const JsonNode channels = object["channels"];
  geometry.channels = channels.Count({1, 3});
  if (geometry.channels == 2) channels.Fail("got 2, want 1 or 3");
  const size_t side = std::min(geometry.image_height, geometry.image_width);
  geometry.patch_size = object["patch_size"].Count({1, side});
}

void ReadTextGeometry(JsonObject& object, Geometry& geometry) {
  geometry.vocabulary = object["vocabulary"].Count({1, 1 << 24});
  geometry.max_positions = object["max_positions"].Count({1, 1 << 20});
  geometry.token_types = object["token_types"].Count({0, 64});
}

Geometry ReadGeometry(const JsonNode& node, const std::string& family) {
  JsonObject object(node);
  Geometry geometry;
  geometry.layers = object["layers"].Count({1, kMaxLayers});
  geometry.width = object["width"].Count({1, kMaxWidth});
  geometry.heads = object["heads"].Count({1, kMaxHeads});
  geometry.head_width = object["head_width"].Count({1, kMaxWidth});
  geometry.mlp_width = object["mlp_width"].Count({1, 16 * kMaxWidth});
  geometry.classes = object["classes"].Count({2, kMaxClasses});
  geometry.activation =
      object["activation"].Choice({"gelu", "gelu_tanh", "quick_gelu", "relu", "swiglu"});
  geometry.layer_norm_epsilon = object["layer_norm_epsilon"].Real({1e-20, 1.0});
  geometry.qkv_bias = object["qkv_bias"].Flag();
  geometry.layer_scale = object["layer_scale"].Flag();
  geometry.register_tokens = object["register_tokens"].Count({0, 64});
  geometry.projection_width = object["projection_width"].Count({0, kMaxWidth});
  if (object.Has("norm_first")) geometry.norm_first = object["norm_first"].Flag();
  if (object.Has("embedding_norm")) geometry.embedding_norm = object["embedding_norm"].Flag();
  if (object.Has("pooler")) geometry.pooler = object["pooler"].Choice({"none", "tanh", "relu"});
  if (IsImageFamily(family)) ReadImageGeometry(object, geometry);
  if (IsTextFamily(family)) ReadTextGeometry(object, geometry);
  return geometry;
}

std::vector<LayerPlan> ReadLayers(const JsonNode& node, const Manifest& manifest) {
  const size_t last_member = manifest.members - 1;
  const size_t last_head = manifest.geometry.heads - 1;
  std::vector<LayerPlan> layers;
  for (const JsonNode& item : node.Items({manifest.geometry.layers, manifest.geometry.layers})) {
    JsonObject object(item);
    LayerPlan plan;
    for (const JsonNode& stream : object["streams"].Items({1, manifest.members})) {
      plan.streams.push_back(stream.Counts({1, manifest.members}, {0, last_member}));
      CheckAscending(stream, plan.streams.back());
    }
    for (const JsonNode& heads :
         object["heads"].Items({plan.streams.size(), plan.streams.size()})) {
      plan.heads.push_back(heads.Counts({0, manifest.geometry.heads}, {0, last_head}));
      CheckAscending(heads, plan.heads.back());
    }
    plan.shared_mlp = object["shared_mlp"].Flag();
    plan.shared_norms = object["shared_norms"].Flag();
    plan.shared_qkv = object["shared_qkv"].Flag();
    layers.push_back(std::move(plan));
  }
  return layers;
}

ReaderPlan ReadReader(const JsonNode& node, const Geometry& geometry) {
  JsonObject object(node);
  ReaderPlan plan;
  plan.first_layer = object["first_layer"].Count({0, geometry.layers - 1});
  plan.query_rows = object["query_rows"].Count({1, 2});
  plan.mlp = object["mlp"].Choice({"tied", "low_rank", "own"});
  const bool low_rank = plan.mlp == "low_rank";
  plan.mlp_rank =
      object["mlp_rank"].Count({low_rank ? size_t{1} : 0, low_rank ? geometry.width : 0});
  plan.own_keys_values = object["own_keys_values"].Flag();
  for (const JsonNode& heads : object["trunk_heads"].Items({geometry.layers, geometry.layers})) {
    plan.trunk_heads.push_back(heads.Counts({0, geometry.heads}, {0, geometry.heads - 1}));
    CheckAscending(heads, plan.trunk_heads.back());
  }
  return plan;
}

NoveltyPlan ReadNovelty(const JsonNode& node, const Geometry& geometry) {
  JsonObject object(node);
  NoveltyPlan plan;
  plan.method = object["method"].Choice({"mahalanobis", "relative_mahalanobis", "knn"});
  plan.layer = object["layer"].Count({0, geometry.layers});
  plan.token = object["token"].Choice({"cls", "mean"});
  const bool nearest = plan.method == "knn";
  plan.neighbours =
      object["neighbours"].Count({nearest ? size_t{1} : 0, nearest ? size_t{1000} : 0});
  return plan;
}

Provenance ReadProvenance(const JsonNode& node) {
  JsonObject object(node);
  Provenance provenance;
  provenance.base_digest = object["base_digest"].Digest();
  for (const auto& [split, digest] : object["data_digests"].Members({0, 64})) {
    provenance.data_digests.emplace(split, digest.Digest());
  }
  provenance.recipe = object["recipe"].TextOrEmpty(kMaxRecipeBytes);
  provenance.seed = object["seed"].Count({0, std::numeric_limits<uint64_t>::max()});
  provenance.tool_version = object["tool_version"].Text();
  if (object.Has("created")) provenance.created = object["created"].Text();
  provenance.choices = object["choices"].TextMap();
  return provenance;
}

// The parts that only some bundles have.
void ReadOptionalParts(JsonObject& root, Manifest& manifest) {
  const bool reads = manifest.member_mode == MemberMode::kReader;
  if (reads) manifest.reader = ReadReader(root["reader"], manifest.geometry);
  if (root.Has("novelty")) manifest.novelty = ReadNovelty(root["novelty"], manifest.geometry);
}

Manifest ReadBody(JsonObject& root) {
  Manifest manifest;
  manifest.name = ReadName(root["name"]);
  const JsonNode family = root["family"];
  manifest.family = family.Text();
  if (!IsImageFamily(manifest.family) && !IsTextFamily(manifest.family)) {
    family.Fail(absl::StrCat("got \"", manifest.family, "\", want a family of version 1"));
  }
  manifest.geometry = ReadGeometry(root["geometry"], manifest.family);
  manifest.members = root["members"].Count({1, kMaxMembers});
  manifest.member_mode = root["member_mode"].Choice({"full", "reader"}) == "reader"
                             ? MemberMode::kReader
                             : MemberMode::kFull;
  const JsonNode branch = root["branch_layer"];
  manifest.branch_layer = branch.Count({0, manifest.geometry.layers});
  const JsonNode layers = root["layers"];
  manifest.layers = ReadLayers(layers, manifest);
  CheckLayers(layers, branch, manifest);
  manifest.shared_classifier = root["shared_classifier"].Flag();
  manifest.pooling = root["pooling"].Choice({"cls", "mean", "cls_mean", "cls_distillation"});
  manifest.dtype = root["dtype"].Choice({"float32", "bfloat16", "float16"});
  manifest.provenance = ReadProvenance(root["provenance"]);
  ReadOptionalParts(root, manifest);
  return manifest;
}

}  // namespace

absl::StatusOr<Manifest> ParseManifest(absl::string_view text) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, kManifestFile));
  Manifest manifest;
  {
    JsonObject root(document.root());
    // First of all, so that a later version is told apart from a broken file.
    root["format_version"].Count({kFormatVersion, kFormatVersion});
    HYDRA_RETURN_IF_ERROR(document.Finish());
    manifest = ReadBody(root);
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return manifest;
}

}  // namespace hydra::artifact::codec
