#include "model/report/tables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/report/certificate_promises.h"

namespace hydra::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ComparisonTable Table() {
  ComparisonTable table;
  table.columns = {{"Accuracy", Better::kHigher, 1, "%"}, {"NLL", Better::kLower, 2}, {"M"}};
  table.rows = {{.name = "<Hydra>",
                 .values = {Measurement{90.0}, Measurement{0.31, 0.02}, Measurement{3.0}},
                 .highlighted = true},
                {.name = "single", .values = {Measurement{89.0}, Measurement{0.35}, std::nullopt}}};
  return table;
}

TEST(ComparisonHtmlTest, BestOfEachDirectedColumn_IsMarked) {
  const std::string html = ComparisonHtml(Table());
  EXPECT_THAT(html, HasSubstr("<td class=\"best\">90.0</td>"));
  EXPECT_THAT(html, HasSubstr("<td>89.0</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"best\">0.31<span"));
  EXPECT_THAT(html, HasSubstr("<td>3.000</td>"));  // no direction, no best
}

TEST(ComparisonHtmlTest, EqualsInPrint_AreMarkedAlike) {
  ComparisonTable table = Table();
  table.rows[1].values[0] = Measurement{90.04};
  const std::string html = ComparisonHtml(table);
  const size_t first = html.find("<td class=\"best\">90.0</td>");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(html.find("<td class=\"best\">90.0</td>", first + 1), std::string::npos);
}

TEST(ComparisonHtmlTest, OneRow_HasNoBest) {
  ComparisonTable table = Table();
  table.rows.pop_back();
  EXPECT_THAT(ComparisonHtml(table), Not(HasSubstr("best")));
}

TEST(ComparisonHtmlTest, NamesUnitsAndGaps_AreShown) {
  const std::string html = ComparisonHtml(Table());
  EXPECT_THAT(html, HasSubstr("&lt;Hydra&gt;"));
  EXPECT_THAT(html, HasSubstr("Accuracy (%) \u2191"));
  EXPECT_THAT(html, HasSubstr("<td>\u2013</td>"));
  EXPECT_THAT(html, HasSubstr(" \u00b1 0.02"));
  EXPECT_THAT(html, HasSubstr("<tr class=\"subject\">"));
}

TEST(LedgerHtmlTest, NoEntry_SaysThatTheTestSetIsUnopened) {
  EXPECT_THAT(LedgerHtml({}), HasSubstr("unopened"));
  const std::vector<LedgerEntry> ledger = {{"now", "evaluate <b>", "abc"}};
  EXPECT_THAT(LedgerHtml(ledger), HasSubstr("evaluate &lt;b&gt;"));
}

TEST(ConformalHtmlTest, MissingMeasurements_AreDashes) {
  const std::vector<ConformalSummary> conformal = {
      {.quantile = {.method = "lac", .alpha = 0.1, .quantile = 0.75, .n = 500}, .coverage = 0.9}};
  const std::string html = ConformalHtml(conformal);
  EXPECT_THAT(html, HasSubstr("<td>90.0\u00a0%</td><td>\u2013</td><td>\u2013</td>"));
}

TEST(CertificateHtmlTest, Targets_ShowCoverageOrWhyNot) {
  artifact::CertificateTable table{.dtype = "float32", .score_made = "energy@T=1 <x>"};
  table.n = 1000;
  table.cuts = {{.threshold = 0.25, .accepted = 600, .errors = 6},
                {.threshold = 0.5, .accepted = 1000, .errors = 90}};
  const auto html = CertificateHtml(table);
  ASSERT_TRUE(html.ok()) << html.status();
  EXPECT_THAT(*html, HasSubstr("energy@T=1 &lt;x&gt;"));
  EXPECT_THAT(*html, HasSubstr("at most 5\u00a0%</th><td>60.0\u00a0%</td><td>0.25000</td>"));
  EXPECT_THAT(*html, HasSubstr("infeasible; about "));
  EXPECT_THAT(*html, HasSubstr("infeasible: every cut"));
  table.cuts[1].errors = 0;
  EXPECT_FALSE(CertificateHtml(table).ok());
}

}  // namespace
}  // namespace hydra::report
