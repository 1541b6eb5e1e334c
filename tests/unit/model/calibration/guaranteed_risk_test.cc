#include "model/calibration/guaranteed_risk.h"

#include <cmath>

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/uncertainty/binomial.h"
#include "tests/golden/statistics/guarantee_golden.h"

namespace hydra::calibration {
namespace {

using uncertainty::ScoredRow;

// Score uniform, error probability s / 3: accepting s <= t has the risk t / 6.
std::vector<ScoredRow> DrawRows(size_t n, base::Rng& rng) {
  std::vector<ScoredRow> rows(n);
  for (ScoredRow& row : rows) {
    row.score = rng.Uniform();
    row.correct = rng.Uniform() >= row.score / 3.0;
  }
  return rows;
}

TEST(SelectWithGuaranteedRiskTest, FeasibleTarget_ReturnsACertifiedCut) {
  base::Rng rng(1);
  const auto search = SelectWithGuaranteedRisk(DrawRows(2000, rng), 0.1, 0.05);
  ASSERT_TRUE(search.ok()) << search.status();
  ASSERT_TRUE(search->cut.has_value());
  EXPECT_LE(search->cut->risk_bound, 0.1);
  EXPECT_DOUBLE_EQ(
      search->cut->risk_bound,
      uncertainty::BinomialUpperBound(search->cut->errors, search->cut->accepted, 0.05 / 11.0));
  EXPECT_GT(search->cut->coverage, 0.3);
}

TEST(SelectWithGuaranteedRiskTest, ManyDraws_AreViolatedAtMostDelta) {
  base::Rng rng(3);
  const int repetitions = 2000;
  const double delta = 0.1;
  int violated = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto search = SelectWithGuaranteedRisk(DrawRows(300, rng), 0.12, delta).value();
    violated += search.cut.has_value() && search.cut->threshold / 6.0 > search.cut->risk_bound;
  }
  EXPECT_LE(violated, repetitions * delta + 3.0 * std::sqrt(repetitions * delta * (1.0 - delta)));
}

TEST(SelectWithGuaranteedRiskTest, TooFewRows_IsInfeasible) {
  const std::vector<ScoredRow> rows(100, ScoredRow{.score = 0.5, .correct = true});
  const auto search = SelectWithGuaranteedRisk(rows, 0.01, 0.001);
  ASSERT_TRUE(search.ok());
  EXPECT_FALSE(search->cut.has_value());
  EXPECT_EQ(search->rows_needed.value(), 917u);  // the smallest n with B(0; n, delta / k) <= 1 %
}

TEST(SelectWithGuaranteedRiskTest, TiedScores_AreAcceptedTogether) {
  std::vector<ScoredRow> rows(400, ScoredRow{.score = 0.1, .correct = true});
  for (int i = 0; i < 200; ++i) rows.push_back({.score = 0.2, .correct = i % 2 == 0});
  const auto search = SelectWithGuaranteedRisk(rows, 0.05, 0.05);
  ASSERT_TRUE(search.ok() && search->cut.has_value());
  EXPECT_EQ(search->cut->accepted, 400u);
  EXPECT_EQ(search->cut->threshold, 0.1);
}

TEST(SelectWithGuaranteedRiskTest, OnlyErrors_IsInfeasible) {
  const std::vector<ScoredRow> rows(50, ScoredRow{.score = 0.5, .correct = false});
  const auto search = SelectWithGuaranteedRisk(rows, 0.2, 0.05);
  ASSERT_TRUE(search.ok());
  EXPECT_FALSE(search->cut.has_value());
}

TEST(SelectWithGuaranteedRiskTest, GoldenSelections_EqualReference) {
  const auto document = golden::LoadGuarantees();
  for (const auto& golden : document["selections"]) {
    const auto search =
        SelectWithGuaranteedRisk(golden::RowsOf(golden), golden["target"], golden["delta"]);
    ASSERT_TRUE(search.ok()) << search.status();
    const auto& found = golden["sgr"]["found"];
    ASSERT_EQ(search->cut.has_value(), !found.is_null());
    if (found.is_null()) {
      EXPECT_GE(search->rows_needed.value(),
                golden["sgr"]["rows_needed_without_errors"].get<size_t>());
      continue;
    }
    EXPECT_EQ(search->cut->threshold, found["threshold"].get<double>());
    EXPECT_EQ(search->cut->accepted, found["accepted"].get<size_t>());
    EXPECT_EQ(search->cut->errors, found["errors"].get<size_t>());
    EXPECT_NEAR(search->cut->risk_bound, found["bound"].get<double>(), 1e-9);
  }
}

TEST(SelectWithGuaranteedRiskTest, RowsThatWouldDo_DoWithTheSameRates) {
  const auto rows_of = [](size_t n) {
    std::vector<ScoredRow> rows;
    for (size_t i = 0; i < n; ++i) rows.push_back({.score = 0.5, .correct = i % 50 != 0});
    return rows;
  };
  const auto few = SelectWithGuaranteedRisk(rows_of(200), 0.04, 0.05);
  ASSERT_TRUE(few.ok() && !few->cut.has_value());
  const size_t needed = few->rows_needed.value();
  EXPECT_GT(needed, 200u);
  EXPECT_TRUE(SelectWithGuaranteedRisk(rows_of(needed + 50), 0.04, 0.05)->cut.has_value());
  EXPECT_FALSE(SelectWithGuaranteedRisk(rows_of(needed * 9 / 10), 0.04, 0.05)->cut.has_value());
}

TEST(SelectWithGuaranteedRiskTest, BadInput_IsRefused) {
  const std::vector<ScoredRow> rows = {{0.5, true}};
  EXPECT_FALSE(SelectWithGuaranteedRisk({}, 0.1, 0.1).ok());
  EXPECT_FALSE(SelectWithGuaranteedRisk(rows, 0.0, 0.1).ok());
  EXPECT_FALSE(SelectWithGuaranteedRisk(rows, 0.1, 1.0).ok());
  EXPECT_FALSE(SelectWithGuaranteedRisk(std::vector<ScoredRow>{{NAN, true}}, 0.1, 0.1).ok());
}

}  // namespace
}  // namespace hydra::calibration
