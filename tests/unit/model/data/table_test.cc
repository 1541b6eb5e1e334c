#include "model/data/table.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/data/csv_records.h"

namespace hydra::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string CsvError(absl::string_view text) {
  return std::string(ParseCsvTable(text, "d/t.csv", {}).status().message());
}

std::string JsonError(absl::string_view text) {
  return std::string(ParseJsonLines(text, "d/t.jsonl", {}).status().message());
}

TEST(CsvTest, Parse_QuotesCommasAndLineEnds_AreFields) {
  const auto records = ParseCsv("a,\"b,\"\"c\"\"\nf\"\r\n\r\n,e\n", "t.csv");
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_EQ(records->size(), 2u);
  EXPECT_THAT((*records)[0].fields, ElementsAre("a", "b,\"c\"\nf"));
  EXPECT_THAT((*records)[1].fields, ElementsAre("", "e"));
  EXPECT_EQ((*records)[1].line, 4u);
}

TEST(CsvTest, Parse_BrokenQuotes_NameTheLine) {
  EXPECT_THAT(ParseCsv("a\nb\"c", "t.csv").status().message(),
              HasSubstr("t.csv: line 2: got a quote inside"));
  EXPECT_THAT(ParseCsv("\"a\"b", "t.csv").status().message(), HasSubstr("behind a closing quote"));
  EXPECT_THAT(ParseCsv("x\n\"a\nb", "t.csv").status().message(),
              HasSubstr("line 3: got a quote that is never closed"));
  EXPECT_THAT(ParseCsv(absl::string_view("a\0b", 3), "t.csv").status().message(),
              HasSubstr("zero byte"));
}

TEST(TableTest, ParseCsv_ImagesAndLabels_AreNumberedInOrder) {
  const auto list = ParseCsvTable(
      "label,note,image\nshoe,x,1.png\nbag,,sub/2.png\nshoe,,/abs.png\n", "d/t.csv", {});
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->class_names, ElementsAre("bag", "shoe"));
  EXPECT_EQ(list->examples[0].image, "d/1.png");
  EXPECT_EQ(list->examples[1].image, "d/sub/2.png");
  EXPECT_EQ(list->examples[2].image, "/abs.png");
  EXPECT_EQ(list->examples[0].label, 1u);
  EXPECT_EQ(list->examples[1].label, 0u);
}

TEST(TableTest, ParseCsv_NumericLabels_SortAsNumbers) {
  EXPECT_THAT(ParseCsvTable("text,label\na,10\nb,2\nc,0\n", "t.csv", {})->class_names,
              ElementsAre("0", "2", "10"));
}

TEST(TableTest, ParseCsv_WithoutLabels_LeavesThemUnset) {
  const auto list = ParseCsvTable("text\nhello\n", "t.csv", {});
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->examples[0].text, "hello");
  EXPECT_FALSE(list->examples[0].label.has_value());
  EXPECT_TRUE(list->class_names.empty());
}

TEST(TableTest, ParseCsv_BrokenRows_NameTheLine) {
  EXPECT_THAT(CsvError(""), HasSubstr("d/t.csv: no header line"));
  EXPECT_THAT(CsvError("image\n"), HasSubstr("got no rows"));
  EXPECT_THAT(CsvError("a,b\n1,2\n"), HasSubstr("line 2: got neither an image nor a text"));
  EXPECT_THAT(CsvError("image,text\n1,2\n"), HasSubstr("line 2: got an image and a text"));
  EXPECT_THAT(CsvError("image,label\na,1\nb\n"), HasSubstr("line 3: got 1 fields, want 2"));
  EXPECT_THAT(CsvError("image,label\na,\n"), HasSubstr("line 2: got an empty value"));
}

TEST(TableTest, ParseJsonLines_MixedLabelTypes_AreClassNames) {
  const auto list = ParseJsonLines(
      "{\"text\": \"a\", \"label\": 3, \"id\": [1]}\n\n{\"text\": \"b\", \"label\": \"x\"}",
      "t.jsonl", {});
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(list->class_names, ElementsAre("3", "x"));
  EXPECT_EQ(list->examples[1].label, 1u);
}

TEST(TableTest, ParseJsonLines_OtherColumnNames_AreRead) {
  const TableColumns columns{.image = "path", .text = "sentence", .label = "intent"};
  const auto list =
      ParseJsonLines("{\"sentence\": \"a\", \"intent\": \"i\", \"image\": 1}", "t.jsonl", columns);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->examples[0].text, "a");
}

TEST(TableTest, ParseJsonLines_BrokenRows_NameTheLine) {
  EXPECT_THAT(JsonError("{\"text\": \"a\"}\n{"), HasSubstr("d/t.jsonl: line 2: not JSON"));
  EXPECT_THAT(JsonError("[1]"), HasSubstr("line 1: got an array, want an object"));
  EXPECT_THAT(JsonError("{\"text\": 1}"), HasSubstr("line 1: text: got 1, want a text"));
  EXPECT_THAT(JsonError("{\"text\": \"a\", \"label\": -1}"), HasSubstr("label: got -1"));
  EXPECT_THAT(JsonError("{\"text\": \"a\", \"text\": \"b\"}"), HasSubstr("key \"text\" twice"));
  EXPECT_THAT(JsonError("{\"text\": \"a\"}\n{\"text\": \"b\", \"label\": 1}"),
              HasSubstr("line 2: want a label in every row or in none"));
}

}  // namespace
}  // namespace hydra::data
