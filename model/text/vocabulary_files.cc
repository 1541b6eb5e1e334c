#include "model/text/vocabulary_files.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace hydra::text {
namespace {

using nlohmann::json;

// Unicode's White_Space, in UTF-8.
constexpr absl::string_view kSpaces[] = {
    "\t",           "\n",           "\v",           "\f",           "\r",           " ",
    "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82",
    "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
    "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8", "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F",
    "\xE3\x80\x80"};

bool ConsumeSpace(absl::string_view& line) {
  for (const absl::string_view space : kSpaces) {
    if (absl::ConsumeSuffix(&line, space)) return true;
  }
  return false;
}

// Without the empty piece after a final line break.
std::vector<absl::string_view> Lines(absl::string_view text) {
  if (text.empty()) return {};
  absl::ConsumeSuffix(&text, "\n");
  return absl::StrSplit(text, '\n');
}

}  // namespace

json WordPieceModel(absl::string_view vocab_txt, const std::string& unknown_token) {
  json vocabulary = json::object();
  size_t id = 0;
  for (absl::string_view line : Lines(vocab_txt)) {
    while (ConsumeSpace(line)) {
    }
    vocabulary[std::string(line)] = id++;
  }
  return {{"type", "WordPiece"},
          {"unk_token", unknown_token},
          {"continuing_subword_prefix", "##"},
          {"max_input_chars_per_word", 100},
          {"vocab", std::move(vocabulary)}};
}

absl::StatusOr<json> BpeModel(absl::string_view vocab_json, absl::string_view merges_txt,
                              const json& settings) {
  json model = settings;
  model["type"] = "BPE";
  model["vocab"] = json::parse(vocab_json.begin(), vocab_json.end(), nullptr, false);
  if (!model["vocab"].is_object()) {
    return absl::FailedPreconditionError("vocab.json: want a JSON object of tokens and ids");
  }
  model["merges"] = json::array();
  size_t number = 0;
  for (absl::string_view line : Lines(merges_txt)) {
    ++number;
    absl::ConsumeSuffix(&line, "\r");
    if (absl::StartsWith(line, "#version")) continue;
    const std::vector<std::string> pair = absl::StrSplit(line, ' ');
    if (pair.size() != 2) {
      return absl::FailedPreconditionError(
          absl::StrCat("merges.txt: line ", number, ": got ", pair.size(), " tokens, want two"));
    }
    model["merges"].push_back(pair);
  }
  return model;
}

}  // namespace hydra::text
