#include "model/text/reference_tokenizers.h"

#include <initializer_list>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/text/json_field.h"
#include "model/text/tokenizer_components.h"
#include "model/text/vocabulary_files.h"

namespace hydra::text {
namespace {

using nlohmann::json;

bool IsTrue(const json& config, const char* name, const json& otherwise) {
  const json& value = Field(config, name);
  return value.is_boolean() ? value == true : otherwise == true;
}

json IdOf(const SpecialTokens& tokens, const std::string& name) {
  for (const json& token : tokens.added) {
    if (token["content"] == tokens.named.at(name)) return token["id"];
  }
  return nullptr;  // each named token was added
}

json PairOf(const SpecialTokens& tokens, const std::string& name) {
  return json::array({tokens.named.at(name), IdOf(tokens, name)});
}

absl::Status RequireNamed(const SpecialTokens& tokens, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (!tokens.named.contains(name)) {
      return absl::FailedPreconditionError(
          absl::StrCat("tokenizer_config.json: ", name, ": got null, want a token"));
    }
  }
  return absl::OkStatus();
}

json BertTemplate(const SpecialTokens& tokens) {
  const auto special = [&](const char* name) -> json {
    return {{"SpecialToken", {{"id", tokens.named.at(name)}, {"type_id", 0}}}};
  };
  const auto entry = [&](const char* name) -> json {
    const std::string& content = tokens.named.at(name);
    return {{"id", content},
            {"ids", json::array({IdOf(tokens, name)})},
            {"tokens", json::array({content})}};
  };
  const auto sequence = [](const char* id) -> json {
    return {{"Sequence", {{"id", id}, {"type_id", 0}}}};
  };
  return {{"type", "TemplateProcessing"},
          {"single", {special("cls_token"), sequence("A"), special("sep_token")}},
          {"pair",
           {special("cls_token"), sequence("A"), special("sep_token"), sequence("B"),
            special("sep_token")}},
          {"special_tokens",
           {{tokens.named.at("cls_token"), entry("cls_token")},
            {tokens.named.at("sep_token"), entry("sep_token")}}}};
}

json ByteLevel(const json& add_prefix_space) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", add_prefix_space},
          {"trim_offsets", true},
          {"use_regex", true}};
}

json ClipNormalizer() {
  return {{"type", "Sequence"},
          {"normalizers",
           {{{"type", "NFC"}},
            {{"type", "Replace"}, {"pattern", {{"Regex", R"(\s+)"}}}, {"content", " "}},
            {{"type", "Lowercase"}}}}};
}

json ClipPreTokenizer() {
  const json split = {{"type", "Split"},
                      {"pattern", {{"Regex", std::string(kClipWords)}}},
                      {"behavior", "Removed"},
                      {"invert", true}};
  return {{"type", "Sequence"}, {"pretokenizers", json::array({split, ByteLevel(false)})}};
}

}  // namespace

absl::StatusOr<json> BertTokenizerJson(const TokenizerSources& sources) {
  const NamedTokens defaults = {{"unk_token", "[UNK]"},
                                {"sep_token", "[SEP]"},
                                {"pad_token", "[PAD]"},
                                {"cls_token", "[CLS]"},
                                {"mask_token", "[MASK]"}};
  json model = WordPieceModel(sources.vocabulary, "");
  HYDRA_ASSIGN_OR_RETURN(const SpecialTokens tokens,
                         ReadSpecialTokens(sources.files, defaults, model["vocab"]));
  HYDRA_RETURN_IF_ERROR(RequireNamed(tokens, {"unk_token", "cls_token", "sep_token"}));
  model["unk_token"] = tokens.named.at("unk_token");
  const json& config = sources.files.tokenizer_config;
  return json{{"version", "1.0"},
              {"model", std::move(model)},
              {"added_tokens", tokens.added},
              {"normalizer",
               {{"type", "BertNormalizer"},
                {"clean_text", true},
                {"handle_chinese_chars", IsTrue(config, "tokenize_chinese_chars", true)},
                {"strip_accents", Field(config, "strip_accents")},
                {"lowercase", IsTrue(config, "do_lower_case", true)}}},
              {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
              {"post_processor", BertTemplate(tokens)}};
}

absl::StatusOr<json> RobertaTokenizerJson(const TokenizerSources& sources) {
  const NamedTokens defaults = {
      {"bos_token", "<s>"},   {"eos_token", "</s>"},  {"sep_token", "</s>"},   {"cls_token", "<s>"},
      {"unk_token", "<unk>"}, {"pad_token", "<pad>"}, {"mask_token", "<mask>"}};
  HYDRA_ASSIGN_OR_RETURN(json model, BpeModel(sources.vocabulary, sources.merges,
                                              {{"continuing_subword_prefix", ""},
                                               {"end_of_word_suffix", ""},
                                               {"fuse_unk", false}}));
  HYDRA_ASSIGN_OR_RETURN(const SpecialTokens tokens,
                         ReadSpecialTokens(sources.files, defaults, model["vocab"]));
  HYDRA_RETURN_IF_ERROR(RequireNamed(tokens, {"cls_token", "sep_token"}));
  const json prefix = IsTrue(sources.files.tokenizer_config, "add_prefix_space", false);
  return json{{"version", "1.0"},
              {"model", std::move(model)},
              {"added_tokens", tokens.added},
              {"normalizer", nullptr},
              {"pre_tokenizer", ByteLevel(prefix)},
              {"post_processor",
               {{"type", "RobertaProcessing"},
                {"sep", PairOf(tokens, "sep_token")},
                {"cls", PairOf(tokens, "cls_token")},
                {"trim_offsets", true},
                {"add_prefix_space", prefix}}}};
}

absl::StatusOr<json> ClipTokenizerJson(const TokenizerSources& sources) {
  const NamedTokens defaults = {{"unk_token", "<|endoftext|>"},
                                {"bos_token", "<|startoftext|>"},
                                {"eos_token", "<|endoftext|>"},
                                {"pad_token", "<|endoftext|>"}};
  HYDRA_ASSIGN_OR_RETURN(json model, BpeModel(sources.vocabulary, sources.merges,
                                              {{"continuing_subword_prefix", ""},
                                               {"end_of_word_suffix", "</w>"},
                                               {"fuse_unk", false}}));
  HYDRA_ASSIGN_OR_RETURN(const SpecialTokens tokens,
                         ReadSpecialTokens(sources.files, defaults, model["vocab"]));
  HYDRA_RETURN_IF_ERROR(RequireNamed(tokens, {"unk_token", "bos_token", "eos_token"}));
  model["unk_token"] = tokens.named.at("unk_token");
  return json{{"version", "1.0"},
              {"model", std::move(model)},
              {"added_tokens", tokens.added},
              {"normalizer", ClipNormalizer()},
              {"pre_tokenizer", ClipPreTokenizer()},
              {"post_processor",
               {{"type", "RobertaProcessing"},
                {"sep", PairOf(tokens, "eos_token")},
                {"cls", PairOf(tokens, "bos_token")},
                {"trim_offsets", false},
                {"add_prefix_space", false}}}};
}

}  // namespace hydra::text
