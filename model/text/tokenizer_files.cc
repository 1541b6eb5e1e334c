#include "model/text/tokenizer_files.h"

#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/text/json_field.h"
#include "model/text/reference_tokenizers.h"
#include "model/text/utf8.h"
#include "nlohmann/json.hpp"

namespace hydra::text {
namespace {

using nlohmann::json;

constexpr size_t kMaxFileBytes = size_t{16} << 20;

absl::StatusOr<std::string> ReadText(const std::string& directory, const char* name) {
  HYDRA_ASSIGN_OR_RETURN(std::string text, base::ReadFile(directory + "/" + name, kMaxFileBytes));
  if (const auto offset = FirstInvalidUtf8Byte(text)) {
    return absl::FailedPreconditionError(
        absl::StrCat(directory, "/", name, ": got invalid UTF-8 at byte ", *offset));
  }
  return text;
}

// Null for a file that does not exist.
absl::StatusOr<json> ReadJson(const std::string& directory, const char* name) {
  const absl::StatusOr<std::string> text = ReadText(directory, name);
  if (absl::IsNotFound(text.status())) return json();
  HYDRA_RETURN_IF_ERROR(text.status());
  json value = json::parse(*text, nullptr, false);
  if (!value.is_object()) {
    return absl::FailedPreconditionError(
        absl::StrCat(directory, "/", name, ": want a JSON object"));
  }
  return value;
}

absl::Status Unsupported(absl::string_view name, const json& value, absl::string_view wanted) {
  return absl::UnimplementedError(
      absl::StrCat("tokenizer_config.json: ", name, ": got ", Shown(value), ", want ", wanted));
}

absl::Status CheckSettings(const json& config) {
  const json& side = Field(config, "truncation_side");
  if (!side.is_null() && side != "right") return Unsupported("truncation_side", side, "right");
  const json& split = Field(config, "split_special_tokens");
  if (split == true) return Unsupported("split_special_tokens", split, "false");
  return absl::OkStatus();
}

// The class of a tokenizer without "Fast", as the reference library's AutoTokenizer finds it.
std::string TokenizerClass(const json& tokenizer_config, const json& config) {
  static const auto& by_type =
      *new std::map<std::string, std::string>{{"bert", "BertTokenizer"},
                                              {"clip", "CLIPTokenizer"},
                                              {"distilbert", "BertTokenizer"},
                                              {"roberta", "RobertaTokenizer"}};
  for (const json* file : {&tokenizer_config, &config}) {
    const json& name = Field(*file, "tokenizer_class");
    if (name.is_string()) {
      return std::string(absl::StripSuffix(name.get_ref<const std::string&>(), "Fast"));
    }
  }
  const json& type = Field(config, "model_type");
  const auto known = type.is_string() ? by_type.find(type.get<std::string>()) : by_type.end();
  return known == by_type.end() ? Shown(type) : known->second;
}

absl::StatusOr<json> BuildFromVocabulary(const std::string& directory, const json& config) {
  TokenizerSources sources;
  sources.files.tokenizer_config = config;
  HYDRA_ASSIGN_OR_RETURN(sources.files.special_tokens_map,
                         ReadJson(directory, "special_tokens_map.json"));
  HYDRA_ASSIGN_OR_RETURN(sources.files.added_tokens, ReadJson(directory, "added_tokens.json"));
  HYDRA_ASSIGN_OR_RETURN(const json model_config, ReadJson(directory, "config.json"));
  const std::string name = TokenizerClass(config, model_config);
  if (name == "BertTokenizer" || name == "DistilBertTokenizer") {
    HYDRA_ASSIGN_OR_RETURN(sources.vocabulary, ReadText(directory, "vocab.txt"));
    return BertTokenizerJson(sources);
  }
  if (name != "RobertaTokenizer" && name != "CLIPTokenizer") {
    return Unsupported("tokenizer_class", name,
                       "BertTokenizer, DistilBertTokenizer, RobertaTokenizer or CLIPTokenizer");
  }
  HYDRA_ASSIGN_OR_RETURN(sources.vocabulary, ReadText(directory, "vocab.json"));
  HYDRA_ASSIGN_OR_RETURN(sources.merges, ReadText(directory, "merges.txt"));
  return name == "CLIPTokenizer" ? ClipTokenizerJson(sources) : RobertaTokenizerJson(sources);
}

}  // namespace

absl::StatusOr<std::string> LoadTokenizerJson(const std::string& checkpoint_directory) {
  HYDRA_ASSIGN_OR_RETURN(const json config,
                         ReadJson(checkpoint_directory, "tokenizer_config.json"));
  HYDRA_RETURN_IF_ERROR(CheckSettings(config));
  absl::StatusOr<std::string> whole = ReadText(checkpoint_directory, "tokenizer.json");
  if (!absl::IsNotFound(whole.status())) return whole;
  HYDRA_ASSIGN_OR_RETURN(const json built, BuildFromVocabulary(checkpoint_directory, config));
  return built.dump();
}

}  // namespace hydra::text
