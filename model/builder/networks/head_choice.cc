#include "model/builder/networks/head_choice.h"

#include "model/artifact/codec/json_reader.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using artifact::codec::JsonDocument;
using artifact::codec::JsonNode;
using artifact::codec::JsonObject;
using Json = nlohmann::ordered_json;

// Far above any encoder; keeps a hostile file from asking for absurd sizes.
constexpr size_t kMaxCount = 4096;

Json ScoresJson(const HeadScores& scores) {
  return {{"method", scores.method},           {"base_digest", scores.base_digest},
          {"data_digest", scores.data_digest}, {"seed", scores.seed},
          {"choices", scores.choices},         {"importance", scores.importance}};
}

HeadScores ReadScores(JsonNode node) {
  JsonObject object(node);
  HeadScores scores;
  scores.method = object["method"].Text();
  scores.base_digest = object["base_digest"].Digest();
  scores.data_digest = object["data_digest"].TextOrEmpty();
  scores.seed = object["seed"].Count({0, static_cast<size_t>(-1)});
  scores.choices = object["choices"].TextMap();
  for (const JsonNode& member : object["importance"].Items({1, kMaxCount})) {
    auto& layers = scores.importance.emplace_back();
    for (const JsonNode& layer : member.Items({1, kMaxCount}))
      layers.push_back(layer.Reals({1, kMaxCount}, artifact::codec::kFinite));
  }
  return scores;
}

void ReadKept(JsonNode node, HeadChoice& choice) {
  for (const JsonNode& member : node.Items({1, kMaxCount})) {
    auto& layers = choice.kept.emplace_back();
    for (const JsonNode& layer : member.Items({1, kMaxCount}))
      layers.push_back(layer.Counts({0, kMaxCount}, {0, kMaxCount}));
  }
}

// All tables speak of the same members, layers and heads.
bool IsConsistent(const HeadChoice& choice) {
  const auto& importance = choice.scores.importance;
  if (choice.kept.size() != importance.size() || choice.overlap.size() != importance.size())
    return false;
  const size_t layers = importance[0].size(), heads = importance[0][0].size();
  for (size_t m = 0; m < importance.size(); ++m) {
    if (importance[m].size() != layers || choice.kept[m].size() != layers) return false;
    if (choice.overlap[m].size() != importance.size()) return false;
    for (const auto& row : importance[m]) {
      if (row.size() != heads) return false;
    }
  }
  return true;
}

}  // namespace

std::string EncodeHeadScores(const HeadScores& scores) { return ScoresJson(scores).dump(2) + "\n"; }

std::string EncodeHeadChoice(const HeadChoice& choice) {
  const Json json = {
      {"scores", ScoresJson(choice.scores)}, {"kept", choice.kept}, {"overlap", choice.overlap}};
  return json.dump(2) + "\n";
}

absl::StatusOr<HeadScores> ParseHeadScores(absl::string_view text) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, "scores.json"));
  HeadScores scores = ReadScores(document.root());
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return scores;
}

absl::StatusOr<HeadChoice> ParseHeadChoice(absl::string_view text) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, "heads.json"));
  HeadChoice choice;
  {
    JsonObject object(document.root());
    choice.scores = ReadScores(object["scores"]);
    ReadKept(object["kept"], choice);
    for (const JsonNode& row : object["overlap"].Items({1, kMaxCount}))
      choice.overlap.push_back(row.Reals({1, kMaxCount}, {0.0, 1.0}));
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  if (!IsConsistent(choice)) {
    return absl::InvalidArgumentError(
        "heads.json: kept, overlap and scores.importance speak of different members or layers");
  }
  return choice;
}

artifact::HeadMap HeadMapOf(const HeadChoice& choice) {
  const auto& kept = choice.kept;
  artifact::HeadMap map{.layers = kept[0].size(),
                        .members = kept.size(),
                        .heads = choice.scores.importance[0][0].size(),
                        .overlap = choice.overlap,
                        .provenance = {.selection = choice.scores.method,
                                       .data_digest = choice.scores.data_digest,
                                       .seed = choice.scores.seed,
                                       .choices = choice.scores.choices}};
  map.kept.resize(map.layers);
  for (size_t l = 0; l < map.layers; ++l) {
    for (size_t m = 0; m < map.members; ++m) map.kept[l].push_back(kept[m][l]);
  }
  for (size_t m = 0; m < map.members; ++m)
    map.importance.push_back({choice.scores.method, m, choice.scores.importance[m]});
  return map;
}

}  // namespace hydra::builder
