#include "model/metrics/detection.h"

#include <cmath>

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "tests/golden/statistics/metric_golden.h"
#include "tests/unit/model/metrics/golden_rows.h"

namespace hydra::metrics {
namespace {

TEST(MeasureDetectionTest, TiedScores_EqualScikitLearnOnBothSides) {
  for (const golden::MetricCase& golden : golden::LoadMetricCases()) {
    SCOPED_TRACE(golden.name);
    const auto metrics = MeasureDetection(golden.scores, golden.ood_scores);
    ASSERT_TRUE(metrics.ok()) << metrics.status();
    const auto& reference = golden.detection;
    EXPECT_NEAR(metrics->auroc, reference.at("auroc"), 1e-9);
    EXPECT_NEAR(metrics->aupr_ood_positive, reference.at("aupr_ood_positive"), 1e-9);
    EXPECT_NEAR(metrics->aupr_id_positive, reference.at("aupr_id_positive"), 1e-9);
    EXPECT_NEAR(metrics->fpr95_ood_positive, reference.at("fpr95_ood_positive"), 1e-9);
    EXPECT_NEAR(metrics->fpr95_id_positive, reference.at("fpr95_id_positive"), 1e-9);
  }
}

TEST(MeasureDetectionTest, GoldenCases_EqualReferenceWithOodPositive) {
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    SCOPED_TRACE(golden.name);
    std::vector<double> id, ood;
    for (const double confidence : RowsOf(golden).confidence) id.push_back(1.0 - confidence);
    for (const double confidence : golden.ood_confidence) ood.push_back(1.0 - confidence);
    const auto metrics = MeasureDetection(id, ood);
    ASSERT_TRUE(metrics.ok()) << metrics.status();
    EXPECT_NEAR(metrics->auroc, golden.reference.at("ood_auroc_msp"), 1e-9);
    EXPECT_NEAR(metrics->aupr_ood_positive, golden.libraries.at("sklearn.ood_aupr"), 1e-9);
    EXPECT_NEAR(metrics->fpr95_ood_positive, golden.reference.at("ood_fpr95_msp"), 1e-9);
  }
}

TEST(MeasureDetectionTest, SmallCase_EqualsHandComputation) {
  // From the most unsure: OOD, ID, OOD, ID.
  const auto metrics = MeasureDetection(std::vector<double>{1, 3}, std::vector<double>{2, 4});
  ASSERT_TRUE(metrics.ok());
  EXPECT_DOUBLE_EQ(metrics->auroc, 0.75);
  EXPECT_DOUBLE_EQ(metrics->aupr_ood_positive, 0.5 * 1.0 + 0.5 * 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(metrics->aupr_id_positive, 0.5 * 1.0 + 0.5 * 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(metrics->fpr95_ood_positive, 0.5);
  EXPECT_DOUBLE_EQ(metrics->fpr95_id_positive, 0.5);
}

TEST(MeasureDetectionTest, Sides_AreMirrorImages) {
  base::Rng rng(6);
  std::vector<double> id(300), ood(120), negated_id, negated_ood;
  for (double& score : id) score = rng.Normal();
  for (double& score : ood) score = 0.5 + 2.0 * rng.Normal();
  for (const double score : id) negated_id.push_back(-score);
  for (const double score : ood) negated_ood.push_back(-score);
  const auto one = MeasureDetection(id, ood).value();
  const auto other = MeasureDetection(negated_ood, negated_id).value();
  EXPECT_DOUBLE_EQ(one.auroc, other.auroc);
  EXPECT_DOUBLE_EQ(one.fpr95_id_positive, other.fpr95_ood_positive);
  EXPECT_DOUBLE_EQ(one.aupr_id_positive, other.aupr_ood_positive);
  EXPECT_NE(one.fpr95_ood_positive, one.fpr95_id_positive);
}

TEST(MeasureDetectionTest, AllTied_IsAGuess) {
  const auto metrics =
      MeasureDetection(std::vector<double>(6, 1.0), std::vector<double>(2, 1.0)).value();
  EXPECT_DOUBLE_EQ(metrics.auroc, 0.5);
  EXPECT_DOUBLE_EQ(metrics.aupr_ood_positive, 0.25);
  EXPECT_DOUBLE_EQ(metrics.fpr95_ood_positive, 1.0);
}

TEST(MeasureDetectionTest, PerfectSeparation_HasNoFalsePositive) {
  const auto metrics =
      MeasureDetection(std::vector<double>(40, 0.0), std::vector<double>(40, 1.0)).value();
  EXPECT_DOUBLE_EQ(metrics.auroc, 1.0);
  EXPECT_DOUBLE_EQ(metrics.fpr95_ood_positive, 0.0);
  EXPECT_DOUBLE_EQ(metrics.fpr95_id_positive, 0.0);
  EXPECT_DOUBLE_EQ(metrics.aupr_ood_positive, 1.0);
  EXPECT_EQ(metrics.id, 40u);
}

TEST(MeasureDetectionTest, EmptySideOrNaN_IsRefused) {
  const std::vector<double> scores = {1.0};
  EXPECT_FALSE(MeasureDetection({}, scores).ok());
  EXPECT_FALSE(MeasureDetection(scores, {}).ok());
  EXPECT_FALSE(MeasureDetection(scores, std::vector<double>{NAN}).ok());
}

}  // namespace
}  // namespace hydra::metrics
