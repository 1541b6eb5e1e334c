#include "model/report/markup.h"

#include <cmath>

#include "gtest/gtest.h"

namespace hydra::report {
namespace {

TEST(EscapeHtmlTest, Markup_BecomesReferences) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" b='y'>&</a>"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
}

TEST(EscapeHtmlTest, ControlCharacters_AreReplaced) {
  EXPECT_EQ(EscapeHtml(absl::string_view("a\0b\x1b", 4)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_EQ(EscapeHtml("tab\tline\n"), "tab\tline\n");
}

TEST(EscapeHtmlTest, Utf8_IsKept) { EXPECT_EQ(EscapeHtml("\u00e9\u4e2d"), "\u00e9\u4e2d"); }

TEST(EscapeJsonForScriptTest, NothingCanEndTheElement) {
  EXPECT_EQ(EscapeJsonForScript(R"({"a":"</script><!-- &"})"),
            R"({"a":"\u003c/script\u003e\u003c!-- \u0026"})");
}

TEST(FormatTest, Numbers_RoundAndShowWhatIsNotFinite) {
  EXPECT_EQ(FormatNumber(12.345, 2), "12.35");
  EXPECT_EQ(FormatNumber(-0.5, 0), "-0");
  EXPECT_EQ(FormatNumber(NAN, 2), "\u2013");
  EXPECT_EQ(FormatPercent(0.61349, 1), "61.3\u00a0%");
}

TEST(ShortDigestTest, LongDigest_IsCutAndKeptWhole) {
  EXPECT_EQ(ShortDigest("0123456789abcdef"),
            "<code title=\"0123456789abcdef\">0123456789ab\u2026</code>");
  EXPECT_EQ(ShortDigest("\"<"), "<code title=\"&quot;&lt;\">&quot;&lt;</code>");
}

}  // namespace
}  // namespace hydra::report
