#include "model/text/tokenizer_json.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "model/text/tokenizer.h"
#include "nlohmann/json.hpp"
#include "tests/golden/token_vectors.h"

namespace hydra::text {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json Parsed(const std::string& name) {
  const auto text = base::ReadFile(golden::TokenizerFolder(name) + "/tokenizer.json", 1 << 20);
  return json::parse(text.value());
}

struct Damage {
  std::string tokenizer;
  std::string named;  // what the message must name
  std::function<void(json&)> apply;
};

json Sequence(const char* key, const json& part, size_t count) {
  json sequence = {{"type", "Sequence"}};
  sequence[key] = std::vector<json>(count, part);
  return sequence;
}

json Split(const std::string& regex) {
  return {{"type", "Split"},
          {"pattern", {{"Regex", regex}}},
          {"behavior", "Isolated"},
          {"invert", false}};
}

json Replace(const std::string& from, const std::string& to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

const std::vector<Damage>& Damages() {
  static const auto& damages = *new std::vector<Damage>{
      {"clip", "pre_tokenizer.pattern", [](json& j) { j["pre_tokenizer"] = Split("(a+)+$"); }},
      {"clip", "pre_tokenizer.pattern",
       [](json& j) { j["pre_tokenizer"]["pretokenizers"][0] = Split(std::string(200, '(')); }},
      {"clip", "pre_tokenizer",
       [](json& j) { j["pre_tokenizer"] = Split(std::string(100000, '(')); }},
      {"roberta", "ByteLevel at most once",
       [](json& j) { j["pre_tokenizer"] = Sequence("pretokenizers", j["pre_tokenizer"], 2); }},
      {"roberta", "normalizer.content", [](json& j) { j["normalizer"] = Replace("a", "aa"); }},
      {"roberta", "normalizer.pattern", [](json& j) { j["normalizer"] = Replace("", ""); }},
      {"clip", "normalizer.normalizers",
       [](json& j) {
         j["normalizer"] = Sequence("normalizers", {{"type", "NFC"}}, 9);
       }},
      {"clip", "normalizer.type",
       [](json& j) {
         j["normalizer"]["normalizers"][0] = Sequence("normalizers", {{"type", "NFC"}}, 1);
       }},
      {"clip", "normalizer.type",
       [](json& j) {
         j["normalizer"] = {{"type", "Precompiled"}};
       }},
      {"clip", "normalizer.type", [](json& j) { j["normalizer"] = 7; }},
      {"bert_lower", "post_processor.single",
       [](json& j) {
         json& single = j["post_processor"]["single"];
         single.push_back(single[1]);
       }},
      {"bert_lower", "post_processor.single",
       [](json& j) { j["post_processor"]["single"][1]["Sequence"]["id"] = "B"; }},
      {"bert_lower", "post_processor.single",
       [](json& j) { j["post_processor"]["single"] = "$A"; }},
      {"roberta", "model.dropout", [](json& j) { j["model"]["dropout"] = 0.1; }},
      {"roberta", "model.merges[]",
       [](json& j) {
         j["model"]["merges"][0] = {"a", 1};
       }},
      {"roberta", "model.merges", [](json& j) { j["model"]["merges"] = nullptr; }},
      {"roberta", "model.type", [](json& j) { j["model"]["type"] = "Unigram"; }},
      {"roberta", "model.type", [](json& j) { j["model"]["type"] = 3; }},
      {"roberta", "model.vocab", [](json& j) { j["model"]["vocab"] = json::array(); }},
      {"roberta", "model.vocab[a]", [](json& j) { j["model"]["vocab"]["a"] = -1; }},
      {"roberta", "model.vocab[a]", [](json& j) { j["model"]["vocab"]["a"] = 1u << 31; }},
      {"clip", "model.end_of_word_suffix",
       [](json& j) { j["model"]["end_of_word_suffix"] = std::string(17, 'x'); }},
      {"bert_lower", "model.continuing_subword_prefix",
       [](json& j) { j["model"]["continuing_subword_prefix"] = std::string(17, 'x'); }},
      {"bert_lower", "model.max_input_chars_per_word",
       [](json& j) { j["model"]["max_input_chars_per_word"] = 201; }},
      {"bert_lower", "model.unk_token", [](json& j) { j["model"]["unk_token"] = "[NONE]"; }},
      {"bert_lower", "model", [](json& j) { j["model"] = "WordPiece"; }},
      {"bert_lower", "model", [](json& j) { j.erase("model"); }},
      {"bert_lower", "added_tokens[]",
       [](json& j) { j["added_tokens"][0]["content"] = std::string(300, 'x'); }},
      {"bert_lower", "added_tokens[]", [](json& j) { j["added_tokens"][0].erase("id"); }},
      {"bert_lower", "added_tokens", [](json& j) { j["added_tokens"] = 1; }},
  };
  return damages;
}

TEST(CanonicalTokenizerJsonTest, UnsupportedComponent_IsNamed) {
  for (const Damage& damage : Damages()) {
    json file = Parsed(damage.tokenizer);
    ASSERT_TRUE(CanonicalTokenizerJson(file.dump()).ok());
    damage.apply(file);
    const auto text = CanonicalTokenizerJson(file.dump());
    EXPECT_EQ(text.status().code(), absl::StatusCode::kFailedPrecondition) << damage.named;
    EXPECT_THAT(std::string(text.status().message()), HasSubstr(damage.named));
    EXPECT_LE(text.status().message().size(), 400u);
  }
}

TEST(CanonicalTokenizerJsonTest, NoJsonObject_IsFailedPrecondition) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{"), std::string("\xFF"),
        std::string(100000, '['), std::string((16 << 20) + 1, ' ')}) {
    EXPECT_EQ(CanonicalTokenizerJson(text).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(CanonicalTokenizerJsonTest, DeepNesting_IsFailedPrecondition) {
  json file = Parsed("bert_lower");
  std::string deep = std::string(100000, '[') + std::string(100000, ']');
  for (const char* key : {"normalizer", "pre_tokenizer", "post_processor", "added_tokens"}) {
    file[key] = "HERE";
    std::string text = file.dump();
    text.replace(text.find("\"HERE\""), 6, deep);
    EXPECT_EQ(CanonicalTokenizerJson(text).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(CanonicalTokenizerJsonTest, TruncationPaddingAndDecoder_AreLeftOut) {
  const auto text = CanonicalTokenizerJson(Parsed("bert_lower").dump());
  const json canonical = json::parse(text.value());
  for (const char* key : {"truncation", "padding", "decoder"}) {
    EXPECT_FALSE(canonical.contains(key)) << key;
  }
  EXPECT_EQ(canonical.at("model").at("vocab"), Parsed("bert_lower").at("model").at("vocab"));
}

TEST(CanonicalTokenizerJsonTest, ModelWithoutType_IsKnownByItsFields) {
  for (const char* name : {"bert_lower", "roberta"}) {
    json file = Parsed(name);
    const json type = file["model"]["type"];
    file["model"].erase("type");
    const auto text = CanonicalTokenizerJson(file.dump());
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_EQ(json::parse(*text).at("model").at("type"), type);
    EXPECT_TRUE(Tokenizer::Create(file.dump(), {.max_tokens = 8}).ok());
  }
}

// What passes the check and the crate refuses, by an error or a panic.
TEST(CreateTest, InconsistentParts_AreFailedPrecondition) {
  const std::vector<Damage> damages = {
      {"roberta", "",
       [](json& j) {
         j["model"]["merges"][0] = {"no such token", "b"};
       }},
      {"roberta", "", [](json& j) { j["model"]["continuing_subword_prefix"] = "##########"; }},
      {"bert_lower", "", [](json& j) { j["post_processor"]["special_tokens"] = json::object(); }},
      {"bert_lower", "", [](json& j) { j["post_processor"].erase("special_tokens"); }},
      {"bert_lower", "", [](json& j) { j["normalizer"]["lowercase"] = "yes"; }},
      {"roberta", "", [](json& j) { j["post_processor"]["sep"] = json::array(); }},
  };
  for (const Damage& damage : damages) {
    json file = Parsed(damage.tokenizer);
    damage.apply(file);
    const auto tokenizer = Tokenizer::Create(file.dump(), {.max_tokens = 8});
    EXPECT_EQ(tokenizer.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(tokenizer.status().message()), HasSubstr("tokenizer"));
  }
}

}  // namespace
}  // namespace hydra::text
