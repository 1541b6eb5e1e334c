#include "model/calibration/guaranteed_risk.h"

#include <cmath>

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/uncertainty/binomial.h"

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
  EXPECT_GT(search->rows_needed.value(), 100u);
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

TEST(SelectWithGuaranteedRiskTest, BadInput_IsRefused) {
  const std::vector<ScoredRow> rows = {{0.5, true}};
  EXPECT_FALSE(SelectWithGuaranteedRisk({}, 0.1, 0.1).ok());
  EXPECT_FALSE(SelectWithGuaranteedRisk(rows, 0.0, 0.1).ok());
  EXPECT_FALSE(SelectWithGuaranteedRisk(rows, 0.1, 1.0).ok());
  EXPECT_FALSE(SelectWithGuaranteedRisk(std::vector<ScoredRow>{{NAN, true}}, 0.1, 0.1).ok());
}

}  // namespace
}  // namespace hydra::calibration
