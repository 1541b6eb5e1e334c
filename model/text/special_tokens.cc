#include "model/text/special_tokens.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/text/json_field.h"

namespace hydra::text {
namespace {

using nlohmann::json;

// The order of PreTrainedTokenizerBase.SPECIAL_TOKENS_ATTRIBUTES.
constexpr const char* kNames[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                  "pad_token", "cls_token", "mask_token"};

bool Flag(const json& object, const char* name, const json& otherwise) {
  const json& value = Field(object, name);
  return value.is_boolean() ? value.get<bool>() : otherwise.get<bool>();
}

json AddedToken(const std::string& content, bool special) {
  return {{"content", content}, {"single_word", false},   {"lstrip", false},
          {"rstrip", false},    {"normalized", !special}, {"special", special}};
}

// A token as files write it: its text, or an object with flags.
absl::StatusOr<json> ReadToken(const std::string& name, const json& value, const json& special) {
  if (value.is_string()) return AddedToken(value.get<std::string>(), true);
  const json& content = Field(value, "content");
  if (!content.is_string()) return WantField(name, value, "a token");
  json token = AddedToken(content.get<std::string>(), Flag(value, "special", special));
  for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"}) {
    token[flag] = Flag(value, flag, token[flag]);
  }
  return token;
}

class Collector {
 public:
  Collector(const SpecialTokenFiles& files, const NamedTokens& defaults)
      : files_(files), defaults_(defaults) {}

  absl::StatusOr<SpecialTokens> Collect(const json& vocabulary) {
    settings_ = files_.tokenizer_config.is_object() ? files_.tokenizer_config : json::object();
    HYDRA_RETURN_IF_ERROR(settings_.contains("added_tokens_decoder") ? ReadDecoder() : ReadOlder());
    for (const auto& [id, token] : by_id_) tokens_.added.push_back(token);
    const size_t numbered = tokens_.added.size();
    for (const char* name : kNames) HYDRA_RETURN_IF_ERROR(AddNamed(name, numbered));
    HYDRA_RETURN_IF_ERROR(AddExtra("additional_special_tokens"));
    HYDRA_RETURN_IF_ERROR(AddExtra("extra_special_tokens"));
    AssignIds(vocabulary);
    return std::move(tokens_);
  }

 private:
  absl::Status ReadDecoder() {
    for (const auto& [id, value] : settings_["added_tokens_decoder"].items()) {
      const std::string name = absl::StrCat("added_tokens_decoder[", id, "]");
      uint32_t number = 0;
      if (!absl::SimpleAtoi(id, &number)) return WantField(name, id, "a number as key");
      HYDRA_ASSIGN_OR_RETURN(by_id_[number], ReadToken(name, value, false));
    }
    return absl::OkStatus();
  }

  // special_tokens_map.json overrides the configuration; added_tokens.json numbers tokens.
  absl::Status ReadOlder() {
    for (const auto& [name, value] : files_.special_tokens_map.items()) {
      settings_[name] = value;
      if (value.is_object()) settings_[name]["special"] = true;
    }
    for (const auto& [content, id] : files_.added_tokens.items()) {
      if (!id.is_number_unsigned()) return WantField("added_tokens.json", id, "an id");
      by_id_[id.get<uint64_t>()] = AddedToken(content, IsNamed(content));
    }
    return absl::OkStatus();
  }

  bool IsNamed(const std::string& content) const {
    const auto is_content = [&](const json& token) {
      return token == content || Field(token, "content") == content;
    };
    for (const char* list : {"additional_special_tokens", "extra_special_tokens"}) {
      const json& tokens = Field(settings_, list);
      if (std::any_of(tokens.begin(), tokens.end(), is_content)) return true;
    }
    return std::any_of(std::begin(kNames), std::end(kNames),
                       [&](const char* name) { return is_content(Field(settings_, name)); });
  }

  absl::Status AddNamed(const char* name, size_t numbered) {
    json value = Field(settings_, name);
    if (!settings_.contains(name)) {
      if (const auto found = defaults_.find(name); found != defaults_.end()) value = found->second;
    }
    if (value.is_null()) return absl::OkStatus();
    HYDRA_ASSIGN_OR_RETURN(json token, ReadToken(name, value, true));
    token["special"] = true;
    tokens_.named[name] = token["content"];
    Add(std::move(token), numbered);
    return absl::OkStatus();
  }

  absl::Status AddExtra(const char* name) {
    const size_t numbered = tokens_.added.size();
    for (const json& value : Field(settings_, name)) {
      HYDRA_ASSIGN_OR_RETURN(json token, ReadToken(name, value, true));
      Add(std::move(token), numbered);
    }
    return absl::OkStatus();
  }

  // Leaves out a token whose text is among the first `numbered`, or that is there already.
  void Add(json token, size_t numbered) {
    const auto end = tokens_.added.begin() + static_cast<std::ptrdiff_t>(numbered);
    const auto same_text = [&](const json& other) { return other["content"] == token["content"]; };
    if (std::any_of(tokens_.added.begin(), end, same_text)) return;
    if (std::find(tokens_.added.begin(), tokens_.added.end(), token) != tokens_.added.end()) return;
    tokens_.added.push_back(std::move(token));
  }

  // Outside the vocabulary, ids follow it in order, whatever the files say.
  void AssignIds(const json& vocabulary) {
    std::map<std::string, json> outside;
    for (json& token : tokens_.added) {
      const std::string& content = token["content"].get_ref<const std::string&>();
      if (const auto known = vocabulary.find(content); known != vocabulary.end()) {
        token["id"] = *known;
      } else {
        const auto [place, isnt_there] =
            outside.try_emplace(content, vocabulary.size() + outside.size());
        token["id"] = place->second;
      }
    }
  }

  const SpecialTokenFiles& files_;
  const NamedTokens& defaults_;
  json settings_;
  std::map<uint64_t, json> by_id_;
  SpecialTokens tokens_;
};

}  // namespace

absl::StatusOr<SpecialTokens> ReadSpecialTokens(const SpecialTokenFiles& files,
                                                const NamedTokens& defaults,
                                                const json& vocabulary) {
  return Collector(files, defaults).Collect(vocabulary);
}

}  // namespace hydra::text
