#include "model/text/tokenizer_components.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"
#include "model/text/json_field.h"

namespace hydra::text {

const char kClipWords[] = R"(<\|startoftext\|>|<\|endoftext\|>)"
                          R"(|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";

namespace {

using nlohmann::json;

constexpr size_t kMaxSequence = 8;
constexpr char kSpaces[] = R"(\s+)";

// One of the three places for components around the model.
struct Slot {
  const char* name;
  const char* sequence;  // the key of a Sequence's parts
  std::vector<std::string> types;
  std::function<absl::Status(const json&)> check;  // beyond the type
};

const std::vector<std::string>& KnownRegexes() {
  static const std::vector<std::string>& known = *new std::vector<std::string>{
      kSpaces, kClipWords,
      R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)"};  // CLIP, before version 5
  return known;
}

absl::Status CheckPattern(const std::string& name, const json& pattern) {
  const json& literal = Field(pattern, "String");
  if (literal.is_string() && !literal.get_ref<const std::string&>().empty()) {
    return absl::OkStatus();
  }
  const auto& known = KnownRegexes();
  const json& regex = Field(pattern, "Regex");
  if (regex.is_string() && std::count(known.begin(), known.end(), regex) > 0) {
    return absl::OkStatus();
  }
  return WantField(name, pattern, "a literal String or a Regex of a supported family");
}

absl::Status CheckReplace(const json& component) {
  if (component["type"] != "Replace") return absl::OkStatus();
  const json& pattern = Field(component, "pattern");
  HYDRA_RETURN_IF_ERROR(CheckPattern("normalizer.pattern", pattern));
  const json& literal = Field(pattern, "String");
  const size_t matched = literal.is_string() ? literal.get_ref<const std::string&>().size() : 1;
  const json& content = Field(component, "content");
  if (!content.is_string() || content.get_ref<const std::string&>().size() > matched) {
    return WantField("normalizer.content", content, "a string no longer than what it replaces");
  }
  return absl::OkStatus();
}

absl::Status CheckSplit(const json& component) {
  if (component["type"] != "Split") return absl::OkStatus();
  return CheckPattern("pre_tokenizer.pattern", Field(component, "pattern"));
}

// A text may stand in its template once: copies would exceed max_tokens.
absl::Status CheckTemplate(const json& component) {
  if (component["type"] != "TemplateProcessing") return absl::OkStatus();
  const json& pieces = Field(component, "single");
  size_t texts = 0;
  for (const json& piece : pieces) {
    const json& sequence = Field(piece, "Sequence");
    if (sequence.is_null()) continue;
    texts += Field(sequence, "id") == "A" ? 1 : 2;
  }
  if (!pieces.is_array() || texts != 1) {
    return WantField("post_processor.single", pieces, "sequence A once");
  }
  return absl::OkStatus();
}

absl::Status CheckComponent(const Slot& slot, const json& component) {
  const json& type = Field(component, "type");
  if (!type.is_string() || std::count(slot.types.begin(), slot.types.end(), type) == 0) {
    return WantField(absl::StrCat(slot.name, ".type"), type, absl::StrJoin(slot.types, ", "));
  }
  return slot.check(component);
}

absl::StatusOr<json> CheckSlot(const Slot& slot, const json& value) {
  if (value.is_null()) return value;
  if (!IsSmall(value)) return WantField(slot.name, value, "less");
  if (Field(value, "type") != "Sequence") {
    HYDRA_RETURN_IF_ERROR(CheckComponent(slot, value));
    return value;
  }
  const json& parts = Field(value, slot.sequence);
  if (!parts.is_array() || parts.size() > kMaxSequence) {
    return WantField(absl::StrCat(slot.name, ".", slot.sequence), parts, "an array of at most 8");
  }
  for (const json& part : parts) HYDRA_RETURN_IF_ERROR(CheckComponent(slot, part));
  return value;
}

}  // namespace

absl::StatusOr<json> CheckNormalizer(const json& normalizer) {
  static const Slot& slot = *new Slot{"normalizer",
                                      "normalizers",
                                      {"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD",
                                       "Strip", "StripAccents", "Replace"},
                                      CheckReplace};
  return CheckSlot(slot, normalizer);
}

absl::StatusOr<json> CheckPreTokenizer(const json& pre_tokenizer) {
  static const Slot& slot = *new Slot{"pre_tokenizer",
                                      "pretokenizers",
                                      {"BertPreTokenizer", "ByteLevel", "Digits", "Punctuation",
                                       "Split", "Whitespace", "WhitespaceSplit"},
                                      CheckSplit};
  const json& parts = Field(pre_tokenizer, "pretokenizers");
  const auto doubles = [](const json& part) { return Field(part, "type") == "ByteLevel"; };
  if (std::count_if(parts.begin(), parts.end(), doubles) > 1) {  // bytes become two bytes each time
    return WantField("pre_tokenizer.pretokenizers", parts, "ByteLevel at most once");
  }
  return CheckSlot(slot, pre_tokenizer);
}

absl::StatusOr<json> CheckPostProcessor(const json& post_processor) {
  static const Slot& slot =
      *new Slot{"post_processor",
                "processors",
                {"BertProcessing", "ByteLevel", "RobertaProcessing", "TemplateProcessing"},
                CheckTemplate};
  return CheckSlot(slot, post_processor);
}

}  // namespace hydra::text
