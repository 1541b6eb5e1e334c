#include "model/uncertainty/certificate.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/uncertainty/binomial.h"

namespace hydra::uncertainty {
namespace {

using ::testing::HasSubstr;

artifact::CertificateTable Table() {
  artifact::CertificateTable table;
  table.n = 2000;
  table.cuts = {{.threshold = 0.1, .accepted = 500, .errors = 1},
                {.threshold = 0.2, .accepted = 1000, .errors = 10},
                {.threshold = 0.4, .accepted = 1500, .errors = 90},
                {.threshold = 0.8, .accepted = 1990, .errors = 300}};
  return table;
}

TEST(DescribeCutsTest, Bounds_SplitDeltaOverTheCuts) {
  const auto cuts = DescribeCuts(Table(), 0.05);
  ASSERT_TRUE(cuts.ok()) << cuts.status();
  ASSERT_EQ(cuts->size(), 4u);
  EXPECT_DOUBLE_EQ((*cuts)[1].coverage, 0.5);
  EXPECT_DOUBLE_EQ((*cuts)[1].empirical_risk, 0.01);
  EXPECT_DOUBLE_EQ((*cuts)[1].risk_bound, BinomialUpperBound(10, 1000, 0.05 / 4.0));
}

TEST(DescribeCutsTest, CutThatAcceptsNothing_BoundsNothing) {
  artifact::CertificateTable table = Table();
  table.cuts.front() = {.threshold = 0.1, .accepted = 0, .errors = 0};
  const auto cuts = DescribeCuts(table, 0.05);
  ASSERT_TRUE(cuts.ok()) << cuts.status();
  EXPECT_EQ(cuts->front().risk_bound, 1.0);
  EXPECT_EQ(cuts->front().empirical_risk, 0.0);
}

TEST(DescribeCutsTest, ContradictingTable_IsRefused) {
  const auto refuses = [](auto damage) {
    artifact::CertificateTable table = Table();
    damage(table);
    return DescribeCuts(table, 0.05).status().code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refuses([](auto& t) { t.cuts.clear(); }));
  EXPECT_TRUE(refuses([](auto& t) { t.n = 0; }));
  EXPECT_TRUE(refuses([](auto& t) { t.n = 1989; }));
  EXPECT_TRUE(refuses([](auto& t) { t.cuts[1].threshold = 0.1; }));
  EXPECT_TRUE(refuses([](auto& t) { t.cuts[1].threshold = NAN; }));
  EXPECT_TRUE(refuses([](auto& t) { t.cuts[3].threshold = INFINITY; }));
  EXPECT_TRUE(refuses([](auto& t) { t.cuts[1].accepted = 499; }));
  EXPECT_TRUE(refuses([](auto& t) { t.cuts[1].errors = 0; }));
  EXPECT_TRUE(refuses([](auto& t) { t.cuts[1].errors = 502; }));
  EXPECT_TRUE(refuses([](auto& t) { t.cuts[0].errors = 501; }));
}

TEST(DescribeCutsTest, DeltaOutsideRange_IsRefused) {
  for (const double delta : {0.0, 1.0, -0.1, static_cast<double>(NAN)}) {
    EXPECT_FALSE(DescribeCuts(Table(), delta).ok()) << delta;
  }
}

TEST(FindCutForRiskTest, FeasibleTarget_TakesTheLargestCoverage) {
  const auto search = FindCutForRisk(Table(), 0.03, 0.05);
  ASSERT_TRUE(search.ok()) << search.status();
  ASSERT_TRUE(search->cut.has_value());
  EXPECT_EQ(search->cut->threshold, 0.2);
  EXPECT_LE(search->cut->risk_bound, 0.03);
  EXPECT_EQ(search->explanation, "");
}

TEST(FindCutForRiskTest, TooFewRows_SaysHowManyWouldDo) {
  const double target = 0.005;
  const auto search = FindCutForRisk(Table(), target, 0.05);
  ASSERT_TRUE(search.ok()) << search.status();
  EXPECT_FALSE(search->cut.has_value());
  ASSERT_TRUE(search->rows_needed.has_value());
  EXPECT_GT(*search->rows_needed, 2000u);
  EXPECT_THAT(search->explanation, HasSubstr("no declared cut"));
  EXPECT_THAT(search->explanation, HasSubstr(std::to_string(*search->rows_needed)));
  // Only the first cut's risk, 1 / 500, is below the target; with its coverage of a quarter:
  const double accepted = static_cast<double>(*search->rows_needed) / 4.0;
  EXPECT_LE(BinomialUpperBound(accepted / 500.0, accepted, 0.05 / 4.0), target);
  EXPECT_GT(BinomialUpperBound((accepted - 0.5) / 500.0, accepted - 0.5, 0.05 / 4.0), target);
}

TEST(FindCutForRiskTest, TableWithTheNeededRows_IsFeasible) {
  const auto before = FindCutForRisk(Table(), 0.004, 0.05);
  ASSERT_TRUE(before.ok() && before->rows_needed.has_value());
  artifact::CertificateTable table = Table();
  const double factor = std::ceil(static_cast<double>(*before->rows_needed) / 2000.0);
  table.n *= static_cast<size_t>(factor);
  for (auto& cut : table.cuts) {
    cut.accepted *= static_cast<size_t>(factor);
    cut.errors *= static_cast<size_t>(factor);
  }
  const auto after = FindCutForRisk(table, 0.004, 0.05);
  ASSERT_TRUE(after.ok());
  EXPECT_TRUE(after->cut.has_value());
}

TEST(FindCutForRiskTest, EveryCutOverTheTarget_SaysThatMoreRowsDoNotHelp) {
  const auto search = FindCutForRisk(Table(), 0.002, 0.05);
  ASSERT_TRUE(search.ok()) << search.status();
  EXPECT_FALSE(search->cut.has_value());
  EXPECT_EQ(search->rows_needed, std::nullopt);
  EXPECT_THAT(search->explanation, HasSubstr("more rows won't help"));
}

TEST(FindCutForRiskTest, WithoutErrors_NeededRowsFollowTheLogarithm) {
  artifact::CertificateTable table;
  table.n = 100;
  table.cuts = {{.threshold = 0.5, .accepted = 100, .errors = 0}};
  const auto search = FindCutForRisk(table, 0.02, 0.05);
  ASSERT_TRUE(search.ok());
  EXPECT_EQ(search->rows_needed, 149u);
}

TEST(FindCutForRiskTest, TargetOutsideRange_IsRefused) {
  for (const double target : {0.0, 1.0, -1.0, static_cast<double>(NAN)}) {
    EXPECT_FALSE(FindCutForRisk(Table(), target, 0.05).ok()) << target;
  }
}

TEST(FindCutForCoverageTest, Target_TakesTheSmallestCutThatCovers) {
  const auto search = FindCutForCoverage(Table(), 0.5, 0.05);
  ASSERT_TRUE(search.ok() && search->cut.has_value());
  EXPECT_EQ(search->cut->threshold, 0.2);
  const auto more = FindCutForCoverage(Table(), 0.51, 0.05);
  ASSERT_TRUE(more.ok() && more->cut.has_value());
  EXPECT_EQ(more->cut->threshold, 0.4);
}

TEST(FindCutForCoverageTest, MoreThanTheLastCut_SaysWhatThereIs) {
  const auto search = FindCutForCoverage(Table(), 1.0, 0.05);
  ASSERT_TRUE(search.ok());
  EXPECT_FALSE(search->cut.has_value());
  EXPECT_THAT(search->explanation, HasSubstr("0.995"));
  EXPECT_FALSE(FindCutForCoverage(Table(), 0.0, 0.05).ok());
  EXPECT_FALSE(FindCutForCoverage(Table(), 1.1, 0.05).ok());
}

TEST(DescribeThresholdTest, DeclaredCut_HasItsBound) {
  const auto facts = DescribeThreshold(Table(), 0.2, 0.05);
  ASSERT_TRUE(facts.ok() && facts->declared.has_value());
  EXPECT_EQ(facts->declared->accepted, 1000u);
  EXPECT_EQ(facts->below->threshold, 0.1);
  EXPECT_EQ(facts->above->threshold, 0.4);
}

TEST(DescribeThresholdTest, BetweenCuts_HasNoBoundOfItsOwn) {
  const auto facts = DescribeThreshold(Table(), 0.3, 0.05);
  ASSERT_TRUE(facts.ok());
  EXPECT_FALSE(facts->declared.has_value());
  EXPECT_EQ(facts->below->threshold, 0.2);
  EXPECT_EQ(facts->above->threshold, 0.4);
}

TEST(DescribeThresholdTest, OutsideTheCuts_HasOneNeighbour) {
  const auto low = DescribeThreshold(Table(), -1.0, 0.05);
  const auto high = DescribeThreshold(Table(), INFINITY, 0.05);
  ASSERT_TRUE(low.ok() && high.ok());
  EXPECT_FALSE(low->below.has_value());
  EXPECT_EQ(low->above->threshold, 0.1);
  EXPECT_FALSE(high->above.has_value());
  EXPECT_EQ(high->below->threshold, 0.8);
  EXPECT_FALSE(DescribeThreshold(Table(), NAN, 0.05).ok());
}

}  // namespace
}  // namespace hydra::uncertainty
