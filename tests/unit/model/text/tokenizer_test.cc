#include "model/text/tokenizer.h"

#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "model/text/tokenizer_files.h"
#include "tests/golden/token_vectors.h"

namespace hydra::text {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kRoomy = size_t{1} << 20;

Tokenizer Make(const std::string& folder, size_t max_tokens, TokenizerLimits limits = {}) {
  const auto json = LoadTokenizerJson(folder);
  return Tokenizer::Create(json.value(), {.max_tokens = max_tokens}, limits).value();
}

Tokenizer Bert(size_t max_tokens) {
  return Make(golden::TokenizerFolder("bert_lower"), max_tokens);
}

// Returns how many texts differ, after naming the first few.
void ExpectReferenceIds(const Tokenizer& tokenizer, const golden::TokenCase& reference) {
  const golden::TokenVectors& vectors = golden::LoadTokenVectors();
  size_t different = 0;
  for (size_t i = 0; i < vectors.texts.size(); ++i) {
    const auto text = tokenizer.Encode(vectors.texts[i]);
    ASSERT_TRUE(text.ok()) << text.status();
    if (golden::DigestOf(text->ids, text->truncated_tokens) == reference.digests[i]) continue;
    if (++different <= 5) {
      ADD_FAILURE() << reference.name << ", text " << i << " "
                    << testing::PrintToString(vectors.texts[i].substr(0, 200)) << ": "
                    << testing::PrintToString(text->ids);
    }
    if (i < reference.first.size()) {
      EXPECT_EQ(text->ids, reference.first[i].ids);
      EXPECT_EQ(text->truncated_tokens, reference.first[i].truncated);
    }
  }
  EXPECT_EQ(different, 0u) << reference.name;
}

TEST(TokenizerTest, TokenizerJson_GivesReferenceIds) {
  const golden::TokenVectors& vectors = golden::LoadTokenVectors();
  ASSERT_EQ(vectors.cases.size(), 6u);
  for (const golden::TokenCase& reference : vectors.cases) {
    // These files ask for truncation to 5 and padding to 7, which must not show.
    ExpectReferenceIds(Make(golden::TokenizerFolder(reference.name), vectors.max_tokens),
                       reference);
  }
}

TEST(TokenizerTest, VocabularyFiles_GiveReferenceIds) {
  const golden::TokenVectors& vectors = golden::LoadTokenVectors();
  for (const golden::TokenCase& reference : vectors.cases) {
    ExpectReferenceIds(
        Make(golden::TokenizerFolder(reference.name) + "/vocabulary", vectors.max_tokens),
        reference);
  }
}

TEST(EncodeTest, EmptyText_IsSpecialTokensAlone) {
  const auto text = Bert(16).Encode("");
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(text->ids, ElementsAre(2, 3));
  EXPECT_EQ(text->truncated_tokens, 0u);
}

TEST(EncodeTest, AnyLimit_CutsTheSameTokensOnTheRight) {
  const std::string words = "the dog and the fox jump over a photo of the weather in paris";
  const auto whole = Bert(kRoomy).Encode(words);
  ASSERT_TRUE(whole.ok());
  for (size_t limit = 3; limit < whole->ids.size() + 2; ++limit) {
    const auto cut = Bert(limit).Encode(words);
    ASSERT_TRUE(cut.ok());
    const size_t kept = std::min(limit, whole->ids.size());
    std::vector<int64_t> expected(whole->ids.begin(), whole->ids.begin() + kept);
    expected.back() = whole->ids.back();
    EXPECT_EQ(cut->ids, expected);
    EXPECT_EQ(cut->truncated_tokens, whole->ids.size() - kept);
  }
}

TEST(EncodeTest, InvalidUtf8_IsInvalidArgumentWithOffset) {
  const auto text = Bert(16).Encode("caf\xC3");
  EXPECT_EQ(text.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(text.status().message()), HasSubstr("byte 3"));
}

TEST(EncodeTest, ByteLimit_IsInclusive) {
  const Tokenizer tokenizer = Make(golden::TokenizerFolder("bert_lower"), 8, {.max_text_bytes = 4});
  EXPECT_TRUE(tokenizer.Encode("abcd").ok());
  const auto longer = tokenizer.Encode("abcde");
  EXPECT_EQ(longer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(longer.status().message()),
              AllOf(HasSubstr("got 5 bytes"), HasSubstr("at most 4")));
}

TEST(EncodeTest, LongTextOfOneKind_IsTokenizedWhole) {
  const std::vector<std::string> units = {
      "x", " ", "<", "\xE8\xAA\x9E", "\xF0\x9F\x98\x80", "e\xCC\x81", "<mask>", "a ", "'s", "\n"};
  for (const golden::TokenCase& reference : golden::LoadTokenVectors().cases) {
    const Tokenizer tokenizer = Make(golden::TokenizerFolder(reference.name), 8);
    for (const std::string& unit : units) {
      std::string text;
      while (text.size() + unit.size() <= (size_t{1} << 16)) text += unit;
      const auto tokens = tokenizer.Encode(text);
      ASSERT_TRUE(tokens.ok()) << reference.name << " " << unit << ": " << tokens.status();
      EXPECT_LE(tokens->ids.size(), 8u);
    }
  }
}

TEST(EncodeTest, ManyThreads_GiveTheSameIds) {
  const Tokenizer tokenizer = Make(golden::TokenizerFolder("roberta"), kRoomy);
  const std::vector<std::string>& texts = golden::LoadTokenVectors().texts;
  std::vector<std::vector<int64_t>> alone;
  for (size_t i = 0; i < 200; ++i) alone.push_back(tokenizer.Encode(texts[i])->ids);
  std::vector<std::jthread> threads;
  std::vector<size_t> different(4);
  for (size_t& count : different) {
    threads.emplace_back([&count, &texts, &alone, tokenizer] {
      for (size_t i = 0; i < alone.size(); ++i)
        count += tokenizer.Encode(texts[i])->ids != alone[i];
    });
  }
  threads.clear();
  EXPECT_THAT(different, ElementsAre(0, 0, 0, 0));
}

TEST(CreateTest, LargestId_BoundsEveryId) {
  EXPECT_EQ(Bert(8).largest_id(), 399);
  // Two added tokens follow the 500 of the vocabulary.
  EXPECT_EQ(Make(golden::TokenizerFolder("bert_options"), 8).largest_id(), 501);
}

TEST(CreateTest, SettingsWithoutRoom_AreRefused) {
  const std::string json = LoadTokenizerJson(golden::TokenizerFolder("bert_lower")).value();
  for (const artifact::TextSettings& settings :
       {artifact::TextSettings{}, artifact::TextSettings{.max_tokens = 8, .pad_token = -1},
        artifact::TextSettings{.max_tokens = 2}}) {
    EXPECT_FALSE(Tokenizer::Create(json, settings).ok());
  }
  EXPECT_TRUE(Tokenizer::Create(json, {.max_tokens = 3}).ok());
}

}  // namespace
}  // namespace hydra::text
