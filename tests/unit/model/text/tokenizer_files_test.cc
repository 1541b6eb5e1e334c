#include "model/text/tokenizer_files.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "nlohmann/json.hpp"
#include "tests/golden/token_vectors.h"

namespace hydra::text {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// A copy of one golden checkpoint with vocabulary files alone.
class LoadTokenizerJsonTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(testing::TempDir(), "tokenizer_files_",
                           testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Copy(const std::string& name) {
    std::filesystem::copy(golden::TokenizerFolder(name) + "/vocabulary", folder_);
  }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(base::WriteFileAtomically(folder_ + "/" + name, text).ok());
  }
  void ExpectError(absl::StatusCode code, const std::string& named) {
    const auto text = LoadTokenizerJson(folder_);
    EXPECT_EQ(text.status().code(), code) << text.status();
    EXPECT_THAT(std::string(text.status().message()), HasSubstr(named));
  }
  json Built() { return json::parse(LoadTokenizerJson(folder_).value()); }

  std::string folder_;
};

TEST_F(LoadTokenizerJsonTest, TokenizerJson_WinsOverVocabularyFiles) {
  Copy("bert_lower");
  Write("tokenizer.json", "as it stands");
  EXPECT_EQ(LoadTokenizerJson(folder_).value(), "as it stands");
}

// The reference's own file of the same checkpoint, but for what CanonicalTokenizerJson drops.
TEST_F(LoadTokenizerJsonTest, BuiltFile_EqualsReferenceFile) {
  for (const golden::TokenCase& one : golden::LoadTokenVectors().cases) {
    const std::string folder = golden::TokenizerFolder(one.name);
    json reference = json::parse(LoadTokenizerJson(folder).value());
    json built = json::parse(LoadTokenizerJson(folder + "/vocabulary").value());
    std::sort(built["added_tokens"].begin(), built["added_tokens"].end(),
              [](const json& a, const json& b) { return a["id"] < b["id"]; });
    for (const auto& [key, value] : built["model"].items()) {
      EXPECT_EQ(value, reference["model"][key]) << one.name << " model." << key;
    }
    for (const char* key : {"normalizer", "pre_tokenizer", "added_tokens"}) {
      EXPECT_EQ(built[key], reference[key]) << one.name << " " << key;
    }
    EXPECT_EQ(built["post_processor"]["type"], reference["post_processor"]["type"]) << one.name;
    EXPECT_EQ(built["post_processor"]["sep"], reference["post_processor"]["sep"]) << one.name;
  }
}

TEST_F(LoadTokenizerJsonTest, SpacesAtLineEnds_AreNoPartOfTokens) {
  Copy("bert_lower");
  Write("vocab.txt", "[PAD]\n[UNK] \r\n[CLS]\xE3\x80\x80\n[SEP]\n\na");
  const json vocabulary = Built()["model"]["vocab"];
  EXPECT_EQ(vocabulary,
            json({{"[PAD]", 0}, {"[UNK]", 1}, {"[CLS]", 2}, {"[SEP]", 3}, {"", 4}, {"a", 5}}));
}

TEST_F(LoadTokenizerJsonTest, ClassOfTheConfiguration_DecidesOverModelType) {
  Copy("roberta");
  Write("tokenizer_config.json", R"({"tokenizer_class": "CLIPTokenizerFast"})");
  EXPECT_EQ(Built()["model"]["end_of_word_suffix"], "</w>");
}

TEST_F(LoadTokenizerJsonTest, NoFiles_IsUnimplementedOrNotFound) {
  ExpectError(absl::StatusCode::kUnimplemented, "tokenizer_class");
  Write("config.json", R"({"model_type": "bert"})");
  ExpectError(absl::StatusCode::kNotFound, "vocab.txt");
  Write("config.json", R"({"model_type": "roberta"})");
  ExpectError(absl::StatusCode::kNotFound, "vocab.json");
  Write("vocab.json", "{}");
  ExpectError(absl::StatusCode::kNotFound, "merges.txt");
}

TEST_F(LoadTokenizerJsonTest, UnsupportedSettings_AreUnimplemented) {
  Copy("bert_lower");
  Write("tokenizer.json", "{}");
  Write("tokenizer_config.json", R"({"truncation_side": "left"})");
  ExpectError(absl::StatusCode::kUnimplemented, "truncation_side: got \"left\", want right");
  Write("tokenizer_config.json", R"({"split_special_tokens": true})");
  ExpectError(absl::StatusCode::kUnimplemented, "split_special_tokens");
  std::filesystem::remove(folder_ + "/tokenizer.json");
  Write("tokenizer_config.json", R"({"tokenizer_class": "T5Tokenizer"})");
  ExpectError(absl::StatusCode::kUnimplemented, "T5Tokenizer");
}

TEST_F(LoadTokenizerJsonTest, MalformedFiles_AreNamed) {
  constexpr auto kFailed = absl::StatusCode::kFailedPrecondition;
  Copy("roberta");
  Write("merges.txt", "#version: 0.2\na b\na b c\n");
  ExpectError(kFailed, "merges.txt: line 3: got 3 tokens");
  Write("merges.txt", "a b\n");
  Write("vocab.json", "[]");
  ExpectError(kFailed, "vocab.json");
  Write("vocab.json", "{\"\xFF\": 0}");
  ExpectError(kFailed, "byte 2");
  Write("vocab.json", "{}");
  Write("tokenizer_config.json", R"({"cls_token": 3})");
  ExpectError(kFailed, "cls_token");
  Write("tokenizer_config.json", R"({"cls_token": null})");
  ExpectError(kFailed, "cls_token");
  Write("tokenizer_config.json", R"({"added_tokens_decoder": {"x": {"content": "y"}}})");
  ExpectError(kFailed, "added_tokens_decoder[x]");
  Write("tokenizer_config.json", R"({"added_tokens_decoder": {"3": {}}})");
  ExpectError(kFailed, "added_tokens_decoder[3]");
  Write("tokenizer_config.json", "[");
  ExpectError(kFailed, "tokenizer_config.json");
}

}  // namespace
}  // namespace hydra::text
