#include "client/terminal/table.h"

#include "gtest/gtest.h"

namespace hydra::terminal {
namespace {

TEST(TableTest, ToString_MixedWidths_AlignsColumnsWithoutTrailingBlanks) {
  Table table({{"input"}, {"probability", Align::kRight}, {"label"}});
  table.AddRow({"a.png", "0.981", "Sneaker"});
  table.AddRow({"longer-name.png", "1", ""});
  EXPECT_EQ(table.ToString(),
            "input            probability  label\n"
            "---------------  -----------  -------\n"
            "a.png                  0.981  Sneaker\n"
            "longer-name.png            1\n");
}

TEST(TableTest, ToString_NonAsciiLabel_CountsCodePoints) {
  Table table({{"label"}, {"n", Align::kRight}});
  table.AddRow({"naïve", "1"});
  table.AddRow({"plain", "2"});
  EXPECT_EQ(table.ToString(),
            "label  n\n"
            "-----  -\n"
            "naïve  1\n"
            "plain  2\n");
}

TEST(TableTest, AddRow_TooManyOrTooFewCells_KeepsTheColumns) {
  Table table({{"a"}, {"b"}});
  table.AddRow({"1", "2", "3"});
  table.AddRow({"4"});
  EXPECT_EQ(table.ToString(), "a  b\n-  -\n1  2\n4\n");
}

TEST(PrintableTest, TerminalControlsAndBrokenUtf8_BecomeQuestionMarks) {
  EXPECT_EQ(Printable("a\x1b[31mred\nb\x7f"), "a?[31mred?b?");
  EXPECT_EQ(Printable("\xc2\x9b"), "?");  // C1 control
  EXPECT_EQ(Printable("\xe2\x80\xae"
                      "abc"),
            "?abc");  // right-to-left override
  EXPECT_EQ(Printable("\xff\xc3"), "??");
  EXPECT_EQ(Printable("\xe2\x82"), "??");  // cut in the middle
  EXPECT_EQ(Printable("größe €"), "größe €");
}

}  // namespace
}  // namespace hydra::terminal
