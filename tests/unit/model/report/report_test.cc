#include "model/report/report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/report/plot_data.h"
#include "nlohmann/json.hpp"

namespace hydra::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

artifact::HeadMap HeadMap() {
  artifact::HeadMap map{.layers = 1, .members = 2, .heads = 3};
  map.kept = {{{0, 2}, {}}};
  map.importance = {{.method = "taylor", .values = {{4.0, 1.0, 2.0}}},
                    {.method = "taylor", .member = 1, .values = {{0.0, 0.0, 0.0}}}};
  map.overlap = {{1.0, 0.0}, {0.0, 1.0}};
  return map;
}

TEST(RenderReportTest, Nothing_IsAPageThatSaysTheTestSetIsUnopened) {
  const auto page = RenderReport({.model_name = "empty"});
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, HasSubstr("<title>empty"));
  EXPECT_THAT(*page, HasSubstr("unopened"));
  EXPECT_THAT(*page, Not(HasSubstr("<figure")));
}

TEST(RenderReportTest, Policy_AdmitsNoOtherScriptAndNoRequest) {
  const auto page = RenderReport({.model_name = "m"});
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(*page, Not(HasSubstr("'unsafe-inline' 'unsafe-eval'")));
  EXPECT_THAT(*page, Not(HasSubstr("sourceMappingURL")));
}

TEST(RenderReportTest, Licences_TravelWithThePage) {
  const auto page = RenderReport({.model_name = "m"});
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("Copyright (c) 2015-2023, University of Washington"));
}

TEST(RenderReportTest, HostileTexts_NeverBecomeMarkup) {
  const std::string hostile = "</script><script>alert(1)</script>\xff";
  ReportData data{.model_name = hostile, .summary = hostile, .cautions = {hostile}};
  data.risk_coverage = {{.name = hostile, .points = {{0.0, 1.0, 0.5}}}};
  data.provenance = {{hostile, hostile}};
  data.splits[hostile] = {.n = 1, .digest = hostile};
  const auto page = RenderReport(data);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(*page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(*page, HasSubstr("\\u003cscript\\u003ealert"));
}

TEST(RenderReportTest, PartsThatDoNotFit_AreNamed) {
  ReportData table{.model_name = "m"};
  table.baselines = {.columns = {{"a"}}, .rows = {{.name = "r"}}};
  EXPECT_THAT(std::string(RenderReport(table).status().message()),
              HasSubstr("baselines.rows[0].values: got 0, want 1"));

  ReportData heads{.model_name = "m", .head_map = HeadMap()};
  heads.head_map->kept[0][1] = {3};
  EXPECT_THAT(std::string(RenderReport(heads).status().message()), HasSubstr("got head 3"));
  heads.head_map = HeadMap();
  heads.head_map->importance[0].values[0].pop_back();
  EXPECT_THAT(std::string(RenderReport(heads).status().message()), HasSubstr("importance[0]"));
  heads.head_map = HeadMap();
  heads.head_map->kept.clear();
  EXPECT_FALSE(RenderReport(heads).ok());

  ReportData histogram{.model_name = "m"};
  histogram.score_histograms = {{.score = "energy", .edges = {0.0}, .groups = {{"id", {1.0}}}}};
  EXPECT_THAT(std::string(RenderReport(histogram).status().message()), HasSubstr("energy"));

  ReportData certificate{.model_name = "m"};
  certificate.certificates = {{}};
  EXPECT_FALSE(RenderReport(certificate).ok());
}

TEST(PlotDataTest, HeadMap_TellsFateStrengthAndCompany) {
  const auto text = PlotData({.model_name = "m", .head_map = HeadMap()});
  ASSERT_TRUE(text.ok()) << text.status();
  const auto heads = nlohmann::json::parse(*text).at("heads");
  EXPECT_EQ(heads.at("method"), "Importance by taylor");
  ASSERT_EQ(heads.at("cells").size(), 6u);
  const auto& first = heads.at("cells").at(0);
  EXPECT_EQ(first.at("kept"), true);
  EXPECT_EQ(first.at("relative"), 1.0);
  EXPECT_EQ(first.at("keptBy"), "1 of 2");
  const auto& second = heads.at("cells").at(1);
  EXPECT_EQ(second.at("fate"), "removed");
  EXPECT_EQ(second.at("relative"), 0.25);
  EXPECT_EQ(heads.at("cells").at(3).at("relative"), 0.0);  // the second member's own table
}

TEST(PlotDataTest, Certificate_CarriesSimultaneousBounds) {
  ReportData data{.model_name = "m"};
  artifact::CertificateTable table{.n = 500, .delta = 0.05};
  table.cuts = {{.threshold = 1.0, .accepted = 149, .errors = 0}};
  data.certificates = {table};
  const auto text = PlotData(data);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto cut = nlohmann::json::parse(*text).at("certificate").at(0).at("cuts").at(0);
  EXPECT_NEAR(cut.at("bound").get<double>(), 0.0199, 1e-4);
  EXPECT_EQ(cut.at("accepted"), 149);
}

}  // namespace
}  // namespace hydra::report
