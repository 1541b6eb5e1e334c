#include "model/yaml/yaml_section.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::yaml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

YamlSection Parsed(const std::string& text) {
  auto section = YamlSection::Parse(text, "f.yaml");
  EXPECT_TRUE(section.ok()) << section.status();
  return *section;
}

std::string ParseError(const std::string& text) {
  return std::string(YamlSection::Parse(text, "f.yaml").status().message());
}

TEST(YamlSectionTest, EveryType_IsRead) {
  YamlSection root = Parsed(
      "name: hydra\non: true\nrows: 32\nrate: 1e-3\nladder: [1, 2]\n"
      "words:\n  - a\n  - b\nweights: [0.5, 2]\nlevel: debug\n");
  std::string name;
  bool on = false;
  size_t rows = 0;
  double rate = 0.0;
  std::vector<size_t> ladder;
  std::vector<std::string> words;
  std::vector<double> weights;
  int level = 0;
  root.Read("name", name);
  root.Read("on", on);
  root.Read("rows", rows);
  root.Read("rate", rate);
  root.Read("ladder", ladder);
  root.Read("words", words);
  root.Read("weights", weights);
  root.ReadChoice<int>("level", level, {{"info", 1}, {"debug", 2}});
  ASSERT_TRUE(root.Finish().ok()) << root.Finish();
  EXPECT_EQ(name, "hydra");
  EXPECT_TRUE(on);
  EXPECT_EQ(rows, 32u);
  EXPECT_DOUBLE_EQ(rate, 1e-3);
  EXPECT_THAT(ladder, ElementsAre(1u, 2u));
  EXPECT_THAT(words, ElementsAre("a", "b"));
  EXPECT_THAT(weights, ElementsAre(0.5, 2.0));
  EXPECT_EQ(level, 2);
}

TEST(YamlSectionTest, AbsentKeyOrSection_LeavesTheDefault) {
  for (const char* text : {"", "batching:\n", "# nothing\n"}) {
    YamlSection root = Parsed(text);
    size_t rows = 7;
    YamlSection batching = root.Section("batching");
    batching.Read("rows", rows);
    EXPECT_TRUE(root.Finish().ok()) << root.Finish();
    EXPECT_EQ(rows, 7u);
  }
}

TEST(YamlSectionTest, UnknownKey_IsNamedWithPathLineAndNearest) {
  YamlSection root = Parsed("batching:\n  max_rows: 1\n  ladedr: [1]\nport: 1\n");
  YamlSection batching = root.Section("batching");
  size_t rows = 0;
  std::vector<size_t> ladder;
  batching.Read("max_rows", rows);
  batching.Read("ladder", ladder);
  EXPECT_EQ(root.Finish().message(),
            "f.yaml:3: batching.ladedr: unknown key, did you mean ladder?\n"
            "f.yaml:4: port: unknown key, want one of batching");
}

TEST(YamlSectionTest, WrongType_IsNamedWithPathAndLine) {
  YamlSection root = Parsed(
      "rows: -1\nmore: 1.5\nrate: .nan\non: yes\nladder: [1, x]\nname: [a]\nlevel: loud\n"
      "section: 3\nempty:\n");
  size_t rows = 9;
  double rate = 0.0;
  bool on = false;
  std::vector<size_t> ladder;
  std::string name;
  int level = 0;
  root.Read("rows", rows);
  root.Read("more", rows);
  root.Read("rate", rate);
  root.Read("on", on);
  root.Read("ladder", ladder);
  root.Read("name", name);
  root.ReadChoice<int>("level", level, {{"info", 1}, {"debug", 2}});
  root.Section("section");
  root.Read("empty", name);
  EXPECT_EQ(root.Finish().message(),
            "f.yaml:1: rows: got \"-1\", want a whole number from 0\n"
            "f.yaml:2: more: got \"1.5\", want a whole number from 0\n"
            "f.yaml:3: rate: got \".nan\", want a number\n"
            "f.yaml:4: on: got \"yes\", want true or false\n"
            "f.yaml:5: ladder[1]: got \"x\", want whole numbers from 0\n"
            "f.yaml:6: name: got a list, want a text\n"
            "f.yaml:7: level: got \"loud\", want info or debug\n"
            "f.yaml:8: section: got \"3\", want a mapping\n"
            "f.yaml:9: empty: got nothing, want a text");
  EXPECT_EQ(rows, 9u);
}

TEST(YamlSectionTest, SectionsOfAList_HavePathsOfTheirOwn) {
  YamlSection root = Parsed("steps:\n  - name: a\n  - label: b\n");
  std::string name;
  for (YamlSection& step : root.Sections("steps")) step.Read("name", name);
  EXPECT_EQ(root.Finish().message(), "f.yaml:3: steps[1].label: unknown key, want one of name");
}

TEST(YamlSectionTest, KeysAndComplain_ServeMappingsOfNames) {
  YamlSection root = Parsed("splits:\n  fit: 1\n  bad: 2\n");
  YamlSection splits = root.Section("splits");
  EXPECT_THAT(splits.Keys(), ElementsAre("fit", "bad"));
  EXPECT_TRUE(root.Finish().ok());
  splits.Complain("bad", "is not a split");
  EXPECT_EQ(root.Finish().message(), "f.yaml:3: splits.bad: is not a split");
}

TEST(YamlSectionTest, KeyTwice_IsRefused) {
  EXPECT_THAT(ParseError("a: 1\nb: 2\na: 3\n"), HasSubstr("f.yaml:3: a: is there twice"));
  EXPECT_THAT(ParseError("s:\n  a: 1\n  a: 3\n"), HasSubstr("f.yaml:3: s.a: is there twice"));
}

TEST(YamlSectionTest, NotAMapping_IsRefused) {
  EXPECT_THAT(ParseError("- 1\n"), HasSubstr("want a mapping"));
  EXPECT_THAT(ParseError("just text"), HasSubstr("want a mapping"));
  EXPECT_THAT(ParseError("a: [1, 2\nb: 3"), HasSubstr("f.yaml:"));
  EXPECT_THAT(ParseError("? [a, b]\n: 1\n"), HasSubstr("a key is not a word"));
}

TEST(YamlSectionTest, HostileNesting_IsRefusedWithoutExhaustion) {
  EXPECT_FALSE(YamlSection::Parse(std::string(10'000, '['), "f").ok());
  std::string deep;
  for (int i = 0; i < 20; ++i) deep += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(ParseError(deep), HasSubstr("nested over"));
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) laughs += (j == 0 ? "" : ", ") + below;
    laughs += "]\n";
  }
  EXPECT_THAT(ParseError(laughs), HasSubstr("over 100000 values"));
}

TEST(YamlSectionTest, ManyErrors_AreCutShort) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "k" + std::to_string(i) + ": 1\n";
  YamlSection root = Parsed(text);
  EXPECT_THAT(std::string(root.Finish().message()), HasSubstr("and 20 more"));
}

}  // namespace
}  // namespace hydra::yaml
