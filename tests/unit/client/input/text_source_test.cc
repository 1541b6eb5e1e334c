#include "client/input/text_source.h"

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/input/flags.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/file.h"
#include "tests/fakes/scratch_directory.h"

namespace hydra::input {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Texts(Source& source, size_t count = 100) {
  std::vector<std::string> texts;
  const std::vector<NamedInput> inputs = source.Next(count).value();
  for (const NamedInput& input : inputs) texts.push_back(input.instance.text());
  return texts;
}

std::vector<std::string> Lines(const std::string& content) {
  std::istringstream in(content);
  return Texts(*TextSource::Read(in, "-").value());
}

TEST(TextSourceTest, Lines_AreTextsWithoutTheirEnds) {
  EXPECT_THAT(Lines("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(Lines("a\r\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(Lines("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(Lines("\n"), ElementsAre(""));
  EXPECT_THAT(Lines(""), ElementsAre());
}

TEST(TextSourceTest, Next_GoesOnWhereItEnded) {
  const auto source = TextSource::Create({"a", "b", "c", "d"}).value();
  EXPECT_THAT(Texts(*source, 1), ElementsAre("a"));
  source->Skip(1);
  EXPECT_THAT(Texts(*source, 9), ElementsAre("c", "d"));
  source->Skip(5);
  EXPECT_THAT(Texts(*source, 9), ElementsAre());
}

TEST(TextSourceTest, LongText_IsNamedByItsBeginningInWholeCharacters) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "\xc3\xa9";
  const auto inputs = TextSource::Create({text, "short"}).value()->Next(2).value();
  EXPECT_EQ(inputs[0].name, absl::StrCat(text.substr(0, 80), "..."));
  EXPECT_EQ(inputs[0].instance.text(), text);
  EXPECT_EQ(inputs[1].name, "short");
}

TEST(TextSourceTest, BytesThatAreNotUtf8_AreRefusedWithTheirPlace) {
  EXPECT_THAT(std::string(TextSource::Create({"a", "b\xff"}).status().message()),
              HasSubstr("text 2: got a byte that is not UTF-8 at offset 1"));
  std::istringstream in("a\nb\n\xc3\n");
  EXPECT_THAT(std::string(TextSource::Read(in, "-").status().message()), HasSubstr("-:3: got"));
}

TEST(OpenSourceTest, TextFlags_AreOneKindOfInput) {
  const fakes::ScratchDirectory scratch;
  const std::string path = scratch.Path("lines.txt");
  ASSERT_TRUE(base::WriteFileAtomically(path, "one\ntwo\nthree\n").ok());
  EXPECT_THAT(Texts(*OpenSource({.text_file = path, .skip = 1}).value()),
              ElementsAre("two", "three"));
  EXPECT_THAT(Texts(*OpenSource({.texts = {"", "x"}}).value()), ElementsAre("", "x"));
  EXPECT_FALSE(OpenSource({.texts = {"x"}, .text_file = path}).ok());
  EXPECT_FALSE(OpenSource({.images = {"x.png"}, .texts = {"x"}}).ok());
  EXPECT_TRUE(absl::IsNotFound(OpenSource({.text_file = scratch.Path("none")}).status()));
}

}  // namespace
}  // namespace hydra::input
