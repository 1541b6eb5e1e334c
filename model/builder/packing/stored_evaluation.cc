#include "model/builder/packing/stored_evaluation.h"

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxEvaluationBytes = size_t{256} << 20;

absl::Status Malformed(const std::string& path, absl::string_view field) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": ", field, ": missing or of another type: not a record of evaluate"));
}

std::string TextOf(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string()
             ? object[key].get<std::string>()
             : std::string();
}

}  // namespace

absl::StatusOr<StoredEvaluation> ReadEvaluation(const std::string& directory) {
  const std::string path = directory + "/evaluation.json";
  HYDRA_ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxEvaluationBytes));
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("systems") || !json["systems"].is_array())
    return Malformed(path, "systems");
  StoredEvaluation stored;
  stored.data_name = TextOf(json.value("data", Json()), "name");
  if (stored.data_name.empty()) return Malformed(path, "data.name");
  stored.final = stored.data_name == "test";
  for (const Json& system : json["systems"]) {
    const std::string name = TextOf(system, "name");
    if (name.empty() || name.find('/') != std::string::npos) return Malformed(path, "systems.name");
    HYDRA_ASSIGN_OR_RETURN(
        stored.systems.emplace_back(),
        ReadPredictions(absl::StrCat(directory, "/predictions-", name, ".safetensors"), name));
  }
  if (stored.systems.empty()) return Malformed(path, "systems");
  for (const Json& entry : json.value("ledger", Json::array()))
    stored.ledger.push_back(
        {TextOf(entry, "when"), TextOf(entry, "what"), TextOf(entry, "weights_digest")});
  return stored;
}

}  // namespace hydra::builder
