#include "model/artifact/codec/json_reader.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact::codec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Status ParseStatus(absl::string_view text) {
  return JsonDocument::Parse(text, "x.json").status();
}

TEST(JsonReaderTest, Parse_NotJson_SaysWhere) {
  EXPECT_EQ(ParseStatus("{\"a\": }").message(), "x.json: not JSON at byte 7");
  for (const char* text : {"", "{", "nul", "{\"a\":1}x", "[1,]", "\"\xff\"", "1e999", "NaN",
                           "// c\n{}", "{'a':1}", "01"}) {
    EXPECT_EQ(ParseStatus(text).code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(JsonReaderTest, Parse_DuplicateKeyOrDeepNesting_IsRefused) {
  EXPECT_THAT(ParseStatus("{\"a\":{\"b\":1,\"b\":2}}").message(), HasSubstr("key \"b\" twice"));
  EXPECT_TRUE(ParseStatus("{\"a\":{\"b\":1},\"b\":{\"b\":1}}").ok());
  EXPECT_THAT(ParseStatus(std::string(100000, '[')).message(), HasSubstr("nested deeper than 12"));
}

TEST(JsonReaderTest, Nodes_GoodValues_AreRead) {
  auto document = JsonDocument::Parse(
      R"({"n": 18446744073709551615, "x": 2, "s": "t", "f": true, "l": [1, 2], "m": {"k": "v"}})",
      "x.json");
  ASSERT_TRUE(document.ok());
  {
    JsonObject root(document->root());
    EXPECT_EQ(root["n"].Count({0, UINT64_MAX}), UINT64_MAX);
    EXPECT_EQ(root["x"].Real({0.0, 2.0}), 2.0);
    EXPECT_EQ(root["s"].Choice({"r", "t"}), "t");
    EXPECT_TRUE(root["f"].Flag());
    EXPECT_THAT(root["l"].Counts({2, 2}, {1, 2}), ElementsAre(1, 2));
    EXPECT_EQ(root["m"].TextMap().at("k"), "v");
  }
  EXPECT_TRUE(document->Finish().ok()) << document->Finish();
}

TEST(JsonReaderTest, Finish_AfterSeveralErrors_ReportsTheFirst) {
  auto document = JsonDocument::Parse(R"({"a": [1, 7], "b": "x", "c": 1})", "x.json");
  ASSERT_TRUE(document.ok());
  {
    JsonObject root(document->root());
    EXPECT_THAT(root["a"].Counts({0, 5}, {1, 6}), ElementsAre(1, 1));
    EXPECT_FALSE(root["b"].Flag());
    EXPECT_EQ(root["d"].Text(), "");
  }
  EXPECT_EQ(document->Finish().message(), "x.json: a[1]: got 7, want 1..6");
}

TEST(JsonObjectTest, KeyNobodyAskedFor_IsAnErrorWithTheKnownKeys) {
  auto document = JsonDocument::Parse(R"({"a": 1, "tmeperature": 2})", "x.json");
  ASSERT_TRUE(document.ok());
  {
    JsonObject root(document->root());
    root["a"].Count({0, 1});
    EXPECT_FALSE(root.Has("temperature"));
  }
  EXPECT_EQ(document->Finish().message(),
            "x.json: tmeperature: unknown key, want one of a, temperature");
}

TEST(DumpJsonTest, TextThatIsNotUtf8_IsRefused) {
  EXPECT_TRUE(DumpJson({{"a", "\xC3\xA9"}}, "x.json").ok());
  EXPECT_FALSE(DumpJson({{"a", "\xC3"}}, "x.json").ok());
}

}  // namespace
}  // namespace hydra::artifact::codec
