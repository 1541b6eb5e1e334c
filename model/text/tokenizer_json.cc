#include "model/text/tokenizer_json.h"

#include <cstdint>
#include <initializer_list>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/text/json_field.h"
#include "model/text/tokenizer_components.h"
#include "nlohmann/json.hpp"

namespace hydra::text {
namespace {

using nlohmann::json;

constexpr size_t kMaxFileBytes = size_t{16} << 20;  // BERT multilingual: 3 MB, CLIP: 4 MB
constexpr size_t kMaxAddedTokens = 16384;
constexpr uint64_t kMaxId = uint64_t{1} << 24;
// The reference library builds 100; the cost of a word grows with the square of its length.
constexpr uint64_t kMaxWordCharacters = 200;
constexpr size_t kMaxAffixBytes = 16;

bool IsId(const json& value) { return value.is_number_unsigned() && value < kMaxId; }

absl::Status CheckVocabulary(const json& model) {
  const json& vocabulary = Field(model, "vocab");
  if (!vocabulary.is_object() || vocabulary.empty()) {
    return WantField("model.vocab", vocabulary, "an object of tokens and ids");
  }
  for (const auto& [token, id] : vocabulary.items()) {
    if (!IsId(id))
      return WantField(absl::StrCat("model.vocab[", token, "]"), id, "an id below 2^24");
  }
  return absl::OkStatus();
}

bool IsMerge(const json& merge) {
  if (merge.is_string()) return true;
  return merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
}

absl::Status CheckMerges(const json& merges) {
  if (!merges.is_array()) return WantField("model.merges", merges, "an array");
  for (const json& merge : merges) {
    if (!IsMerge(merge)) return WantField("model.merges[]", merge, "a pair of tokens");
  }
  return absl::OkStatus();
}

absl::Status CheckAffix(const json& model, const char* name) {
  const json& affix = Field(model, name);
  if (affix.is_null()) return absl::OkStatus();
  if (affix.is_string() && affix.get_ref<const std::string&>().size() <= kMaxAffixBytes) {
    return absl::OkStatus();
  }
  return WantField(absl::StrCat("model.", name), affix, "a string of at most 16 bytes");
}

json Pick(const json& from, std::initializer_list<const char*> names) {
  json picked = json::object();
  for (const char* name : names) {
    if (const json& value = Field(from, name); !value.is_null()) picked[name] = value;
  }
  return picked;
}

absl::StatusOr<json> WordPiece(const json& model) {
  const json& unknown = Field(model, "unk_token");
  if (!unknown.is_string() || !model["vocab"].contains(unknown.get_ref<const std::string&>())) {
    return WantField("model.unk_token", unknown, "a token of the vocabulary");
  }
  const json& characters = Field(model, "max_input_chars_per_word");
  if (!characters.is_number_unsigned() || characters > kMaxWordCharacters) {
    return WantField("model.max_input_chars_per_word", characters, "0..200");
  }
  return Pick(model,
              {"unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"});
}

absl::StatusOr<json> Bpe(const json& model) {
  const json& dropout = Field(model, "dropout");
  if (!dropout.is_null() && dropout != 0) {
    return WantField("model.dropout", dropout, "null: answers must not depend on chance");
  }
  HYDRA_RETURN_IF_ERROR(CheckMerges(Field(model, "merges")));
  HYDRA_RETURN_IF_ERROR(CheckAffix(model, "end_of_word_suffix"));
  return Pick(model, {"unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
                      "byte_fallback", "ignore_merges", "vocab", "merges"});
}

// Files of early versions name no type; the fields tell.
std::string ModelType(const json& model) {
  if (const json& type = Field(model, "type"); !type.is_null()) {
    return type.is_string() ? type.get<std::string>() : Shown(type);
  }
  if (model.contains("merges")) return "BPE";
  return model.contains("max_input_chars_per_word") ? "WordPiece" : "";
}

absl::StatusOr<json> CheckModel(const json& model) {
  if (!model.is_object()) return WantField("model", model, "an object");
  HYDRA_RETURN_IF_ERROR(CheckVocabulary(model));
  HYDRA_RETURN_IF_ERROR(CheckAffix(model, "continuing_subword_prefix"));
  const std::string type = ModelType(model);
  if (type != "BPE" && type != "WordPiece") {
    return WantField("model.type", type, "BPE or WordPiece");
  }
  HYDRA_ASSIGN_OR_RETURN(json checked, type == "BPE" ? Bpe(model) : WordPiece(model));
  checked["type"] = type;
  return checked;
}

absl::StatusOr<json> CheckAddedTokens(const json& tokens) {
  if (tokens.is_null()) return json::array();
  if (!tokens.is_array() || tokens.size() > kMaxAddedTokens) {
    return WantField("added_tokens", tokens, "an array of at most 16384");
  }
  for (const json& token : tokens) {
    if (!token.is_object() || !IsSmall(token) || !IsId(Field(token, "id")) ||
        !Field(token, "content").is_string()) {
      return WantField("added_tokens[]", token, "an object with id and content");
    }
  }
  return tokens;
}

}  // namespace

absl::StatusOr<std::string> CanonicalTokenizerJson(absl::string_view tokenizer_json) {
  if (tokenizer_json.size() > kMaxFileBytes) {
    return absl::FailedPreconditionError(absl::StrCat("tokenizer.json: got ", tokenizer_json.size(),
                                                      " bytes, want at most ", kMaxFileBytes));
  }
  const json file = json::parse(tokenizer_json.begin(), tokenizer_json.end(), nullptr, false);
  if (!file.is_object()) {
    return absl::FailedPreconditionError("tokenizer.json: want a JSON object");
  }
  json checked = {{"version", "1.0"}};
  HYDRA_ASSIGN_OR_RETURN(checked["model"], CheckModel(Field(file, "model")));
  HYDRA_ASSIGN_OR_RETURN(checked["added_tokens"], CheckAddedTokens(Field(file, "added_tokens")));
  HYDRA_ASSIGN_OR_RETURN(checked["normalizer"], CheckNormalizer(Field(file, "normalizer")));
  HYDRA_ASSIGN_OR_RETURN(checked["pre_tokenizer"], CheckPreTokenizer(Field(file, "pre_tokenizer")));
  HYDRA_ASSIGN_OR_RETURN(checked["post_processor"],
                         CheckPostProcessor(Field(file, "post_processor")));
  return checked.dump();
}

}  // namespace hydra::text
