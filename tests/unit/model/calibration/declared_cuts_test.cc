#include "model/calibration/declared_cuts.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/uncertainty/certificate.h"

namespace hydra::calibration {
namespace {

using ::testing::ElementsAre;
using uncertainty::ScoredRow;

TEST(DeclareCutsTest, Quantiles_AscendToTheMaximum) {
  const auto cuts = DeclareCuts(std::vector<double>{5, 1, 4, 2, 3, 6, 8, 7}, 4);
  ASSERT_TRUE(cuts.ok()) << cuts.status();
  EXPECT_THAT(*cuts, ElementsAre(2, 4, 6, 8));
}

TEST(DeclareCutsTest, FewValuesOrManyCuts_GiveNoDuplicates) {
  EXPECT_THAT(DeclareCuts(std::vector<double>{0, 0, 0, 1}, 4).value(), ElementsAre(0, 1));
  EXPECT_THAT(DeclareCuts(std::vector<double>{2, 1}, 5).value(), ElementsAre(1, 2));
}

TEST(DeclareCutsTest, BadInput_IsRefused) {
  EXPECT_FALSE(DeclareCuts({}, 4).ok());
  EXPECT_FALSE(DeclareCuts(std::vector<double>{1}, 0).ok());
  EXPECT_FALSE(DeclareCuts(std::vector<double>{1, NAN}, 2).ok());
}

TEST(CountCutsTest, Rows_CountAtEveryCutThatAcceptsThem) {
  const std::vector<ScoredRow> rows = {{0.1, true}, {0.2, false}, {0.25, true}, {0.9, false}};
  const auto cuts = CountCuts(rows, std::vector<double>{0.1, 0.2, 0.3});
  ASSERT_TRUE(cuts.ok()) << cuts.status();
  EXPECT_EQ((*cuts)[0].accepted, 1u);
  EXPECT_EQ((*cuts)[0].errors, 0u);
  EXPECT_EQ((*cuts)[1].accepted, 2u);  // equal is accepted
  EXPECT_EQ((*cuts)[1].errors, 1u);
  EXPECT_EQ((*cuts)[2].accepted, 3u);
  EXPECT_EQ((*cuts)[2].errors, 1u);
}

TEST(CountCutsTest, BadInput_IsRefused) {
  const std::vector<ScoredRow> rows = {{0.1, true}};
  EXPECT_FALSE(CountCuts({}, std::vector<double>{0.1}).ok());
  EXPECT_FALSE(CountCuts(rows, {}).ok());
  EXPECT_FALSE(CountCuts(rows, std::vector<double>{0.2, 0.2}).ok());
  EXPECT_FALSE(CountCuts(rows, std::vector<double>{INFINITY}).ok());
  EXPECT_FALSE(CountCuts(std::vector<ScoredRow>{{NAN, true}}, std::vector<double>{0.2}).ok());
}

// A world whose selective risk is known: the score s is uniform and a row errs with probability
// s / 3, so that accepting s <= t has the risk t / 6.
double TrueRisk(double threshold) { return threshold / 6.0; }

std::vector<ScoredRow> DrawRows(size_t n, base::Rng& rng) {
  std::vector<ScoredRow> rows(n);
  for (ScoredRow& row : rows) {
    row.score = rng.Uniform();
    row.correct = rng.Uniform() >= row.score / 3.0;
  }
  return rows;
}

artifact::CertificateTable DrawTable(size_t path_rows, size_t certify_rows, size_t count,
                                     base::Rng& rng) {
  std::vector<double> path;
  for (const ScoredRow& row : DrawRows(path_rows, rng)) path.push_back(row.score);
  artifact::CertificateTable table;
  table.n = certify_rows;
  table.cuts = CountCuts(DrawRows(certify_rows, rng), DeclareCuts(path, count).value()).value();
  return table;
}

double ThreeStandardErrors(double delta, int repetitions) {
  return 3.0 * std::sqrt(delta * (1.0 - delta) / repetitions);
}

TEST(SimultaneousBoundTest, ManyDraws_AreViolatedAtMostDelta) {
  base::Rng rng(2024);
  const int repetitions = 1000;
  const double delta = 0.1;
  int violated = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto table = DrawTable(200, 400, 8, rng);
    bool any = false;
    const auto cuts = uncertainty::DescribeCuts(table, delta).value();
    for (const auto& cut : cuts) {
      any = any || TrueRisk(cut.threshold) > cut.risk_bound;
    }
    violated += any;
  }
  EXPECT_LE(violated, repetitions * (delta + ThreeStandardErrors(delta, repetitions)));
  EXPECT_GT(violated, 0);  // a bound that never fails would be vacuous
}

TEST(SimultaneousBoundTest, ManyPreviewsOfOneSample_StayWithinDelta) {
  base::Rng rng(7);
  const int repetitions = 500;
  const double delta = 0.1;
  int violated = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto table = DrawTable(200, 400, 8, rng);
    bool any = false;
    for (double target = 0.02; target < 0.2; target += 0.02) {  // whoever asks until it suits
      const auto search = uncertainty::FindCutForRisk(table, target, delta).value();
      any = any || (search.cut.has_value() && TrueRisk(search.cut->threshold) > target);
    }
    violated += any;
  }
  EXPECT_LE(violated, repetitions * (delta + ThreeStandardErrors(delta, repetitions)));
}

TEST(SimultaneousBoundTest, UnsplitDelta_WouldBeViolatedMoreOften) {
  base::Rng rng(2024);
  const int repetitions = 1000;
  const double delta = 0.1;
  int violated = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto table = DrawTable(200, 400, 8, rng);
    bool any = false;
    const double per_cut = delta * static_cast<double>(table.cuts.size());
    const auto cuts = uncertainty::DescribeCuts(table, per_cut).value();
    for (const auto& cut : cuts) {
      any = any || TrueRisk(cut.threshold) > cut.risk_bound;
    }
    violated += any;
  }
  EXPECT_GT(violated, repetitions * (delta + ThreeStandardErrors(delta, repetitions)));
}

}  // namespace
}  // namespace hydra::calibration
