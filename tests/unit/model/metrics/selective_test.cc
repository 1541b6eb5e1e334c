#include "model/metrics/selective.h"

#include <cmath>

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/metrics/detection.h"
#include "tests/golden/statistics/metric_golden.h"
#include "tests/unit/model/metrics/golden_rows.h"

namespace hydra::metrics {
namespace {

using uncertainty::ScoredRow;

std::vector<ScoredRow> ScoredRows(const golden::UncertaintyCase& golden) {
  const GoldenRows rows = RowsOf(golden);
  std::vector<ScoredRow> scored;
  for (size_t i = 0; i < rows.confidence.size(); ++i) {
    scored.push_back({.score = -rows.confidence[i], .correct = rows.correct[i]});
  }
  return scored;
}

std::vector<ScoredRow> PerfectOrder(std::vector<ScoredRow> rows) {
  double rank = 0.0;
  for (ScoredRow& row : rows) row.score = (row.correct ? 0.0 : 1e6) + rank++;
  return rows;
}

std::vector<ScoredRow> RandomRows(size_t n, double error_rate, uint64_t seed) {
  base::Rng rng(seed);
  std::vector<ScoredRow> rows(n);
  for (ScoredRow& row : rows) {
    row.correct = rng.Uniform() >= error_rate;
    row.score = rng.Normal() + (row.correct ? 0.0 : 1.0);
  }
  return rows;
}

TEST(MeasureSelectiveTest, GoldenCases_EqualReference) {
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    SCOPED_TRACE(golden.name);
    const auto metrics = MeasureSelective(ScoredRows(golden));
    ASSERT_TRUE(metrics.ok()) << metrics.status();
    EXPECT_NEAR(metrics->aurc, golden.reference.at("aurc_ties"), 1e-9);
    if (golden.name == "ties") continue;  // the other references depend on the order of ties
    EXPECT_NEAR(metrics->aurc, golden.reference.at("aurc_mean"), 1e-9);
    // The reference subtracts the AURC of a perfect order of these rows, which differs by O(1 / n).
    const double perfect = MeasureSelective(PerfectOrder(ScoredRows(golden)))->aurc;
    EXPECT_NEAR(metrics->aurc - perfect, golden.reference.at("e_aurc_mean"), 1e-9);
    EXPECT_NEAR(metrics->e_aurc, golden.reference.at("e_aurc_mean"), 0.3 / metrics->n);
    EXPECT_NEAR(metrics->aurc_trapezoid, golden.libraries.at("torch_uncertainty.aurc"), 1e-6);
    EXPECT_NEAR(metrics->augrc_trapezoid, golden.libraries.at("torch_uncertainty.augrc"), 1e-6);
  }
}

TEST(RiskCoverageCurveTest, GoldenCases_EqualReferencePoints) {
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    SCOPED_TRACE(golden.name);
    const auto curve = RiskCoverageCurve(ScoredRows(golden));
    ASSERT_TRUE(curve.ok()) << curve.status();
    EXPECT_NEAR(CoverageAtRisk(*curve, 0.05)->coverage, golden.reference.at("cov_at_5"), 1e-9);
    if (golden.name == "ties") continue;  // a threshold cannot cut inside a tie
    EXPECT_NEAR(RiskAtCoverage(*curve, 0.8)->risk, golden.reference.at("risk_at_80"), 1e-9);
  }
}

TEST(MeasureSelectiveTest, TiedScores_EqualFdShifts) {
  for (const golden::MetricCase& golden : golden::LoadMetricCases()) {
    SCOPED_TRACE(golden.name);
    EXPECT_NEAR(MeasureSelective(golden.scored)->aurc_fd_shifts, golden.fd_shifts_aurc, 1e-9);
  }
}

TEST(MeasureSelectiveTest, Augrc_FollowsFromFailureAuroc) {
  for (const double quantum : {0.0, 0.5}) {  // without and with ties
    std::vector<ScoredRow> rows = RandomRows(3000, 0.2, 21);
    std::vector<double> correct, wrong;
    for (ScoredRow& row : rows) {
      if (quantum > 0.0) row.score = std::round(row.score / quantum) * quantum;
      (row.correct ? correct : wrong).push_back(row.score);
    }
    const auto metrics = MeasureSelective(rows).value();
    const double auroc = MeasureDetection(correct, wrong)->auroc;
    const double e = metrics.error_rate;
    EXPECT_NEAR(metrics.augrc, (1.0 - auroc) * e * (1.0 - e) + e * e / 2.0, 1e-12);
  }
}

TEST(MeasureSelectiveTest, TiedRows_AverageOverTheirOrders) {
  // One certain row, then an error and a correct row tied: r = 0, then 1/2 of {1/2, 0}, then 1/3.
  const std::vector<ScoredRow> rows = {{0.0, true}, {1.0, false}, {1.0, true}};
  const auto metrics = MeasureSelective(rows).value();
  EXPECT_NEAR(metrics.aurc, (0.0 + 0.25 + 1.0 / 3.0) / 3.0, 1e-12);
  const std::vector<ScoredRow> swapped = {{1.0, true}, {1.0, false}, {0.0, true}};
  EXPECT_DOUBLE_EQ(MeasureSelective(swapped)->aurc, metrics.aurc);
}

TEST(MeasureSelectiveTest, PerfectOrder_HasLittleExcess) {
  std::vector<ScoredRow> rows;
  for (int i = 0; i < 20000; ++i) rows.push_back({.score = i * 1.0, .correct = i < 16000});
  const auto metrics = MeasureSelective(rows).value();
  EXPECT_NEAR(metrics.e_aurc, 0.0, 1e-4);
  EXPECT_NEAR(metrics.augrc, 0.2 * 0.2 / 2.0, 1e-4);
}

TEST(MeasureSelectiveTest, OnlyErrorsOrOneRow_AreFinite) {
  const auto wrong = MeasureSelective(std::vector<ScoredRow>(5, {0.0, false})).value();
  EXPECT_DOUBLE_EQ(wrong.aurc, 1.0);
  EXPECT_DOUBLE_EQ(wrong.e_aurc, 0.0);
  const auto one = MeasureSelective(std::vector<ScoredRow>{{0.0, true}}).value();
  EXPECT_DOUBLE_EQ(one.aurc_trapezoid, 0.0);
}

TEST(RiskCoverageCurveTest, NoRowOrNaN_IsRefused) {
  EXPECT_FALSE(RiskCoverageCurve({}).ok());
  EXPECT_FALSE(MeasureSelective(std::vector<ScoredRow>{{NAN, true}}).ok());
}

TEST(CoverageAtRiskTest, FirstRowWrong_StillFindsLaterCoverage) {
  const std::vector<ScoredRow> rows = {{0.0, false}, {1.0, true}, {2.0, true}, {3.0, true}};
  const auto curve = RiskCoverageCurve(rows).value();
  EXPECT_DOUBLE_EQ(CoverageAtRisk(curve, 0.25)->coverage, 1.0);
  EXPECT_EQ(CoverageAtRisk(curve, 0.2), std::nullopt);
}

TEST(RiskAtCoverageTest, Tie_TakesThePointThatCovers) {
  const std::vector<ScoredRow> rows = {{0.0, true}, {1.0, false}, {1.0, true}, {2.0, true}};
  const auto curve = RiskCoverageCurve(rows).value();
  EXPECT_DOUBLE_EQ(RiskAtCoverage(curve, 0.5)->coverage, 0.75);
  EXPECT_DOUBLE_EQ(RiskAtCoverage(curve, 0.75)->risk, 1.0 / 3.0);
  EXPECT_EQ(RiskAtCoverage(curve, 1.1), std::nullopt);
}

TEST(ThinCurveTest, LongCurve_KeepsEndsAndOrder) {
  const auto curve = RiskCoverageCurve(RandomRows(5000, 0.2, 9)).value();
  const auto thin = ThinCurve(curve, 200);
  EXPECT_LE(thin.size(), 200u);
  EXPECT_GE(thin.size(), 190u);
  EXPECT_EQ(thin.front().coverage, curve.front().coverage);
  EXPECT_EQ(thin.back().coverage, 1.0);
  for (size_t i = 1; i < thin.size(); ++i) EXPECT_GT(thin[i].coverage, thin[i - 1].coverage);
  EXPECT_EQ(ThinCurve(thin, 200).size(), thin.size());
}

}  // namespace
}  // namespace hydra::metrics
