#include "model/calibration/temperature.h"

#include <cmath>

#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "tests/golden/uncertainty_golden.h"

namespace hydra::calibration {
namespace {

using uncertainty::EnsembleShape;

EnsembleShape Shape(size_t members, size_t batch, size_t classes) {
  return EnsembleShape::Create(members, batch, classes).value();
}

struct Labelled {
  std::vector<float> logits;
  std::vector<size_t> labels;
  EnsembleShape shape;
};

// Logits that are `factor` times those that the labels are drawn from, shared by the members up to
// noise.
Labelled OverconfidentRows(size_t members, size_t batch, size_t classes, double factor,
                           uint64_t seed) {
  base::Rng rng(seed);
  Labelled rows{.labels = {}, .shape = Shape(members, batch, classes)};
  rows.logits.resize(rows.shape.size());
  for (size_t b = 0; b < batch; ++b) {
    std::vector<double> truth(classes);
    double sum = 0.0;
    for (double& z : truth) sum += std::exp(z = 1.5 * rng.Normal());
    double u = rng.Uniform() * sum;
    size_t label = 0;
    while (label + 1 < classes && u >= std::exp(truth[label])) u -= std::exp(truth[label++]);
    rows.labels.push_back(label);
    for (size_t m = 0; m < members; ++m) {
      for (size_t c = 0; c < classes; ++c) {
        rows.logits[rows.shape.RowOffset(m, b) + c] =
            static_cast<float>(factor * (truth[c] + (members > 1 ? 0.3 * rng.Normal() : 0.0)));
      }
    }
  }
  return rows;
}

TEST(FitTemperatureTest, GoldenCases_EqualSciPyOnTheMeanPrediction) {
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    const auto reference = golden.libraries.find("scipy.temperature");
    if (reference == golden.libraries.end() || reference->second < 0.1) continue;  // at its bound
    SCOPED_TRACE(golden.name);
    const EnsembleShape mean_shape = Shape(1, golden.shape.batch(), golden.shape.classes());
    std::vector<float> log_mean(mean_shape.size());
    for (size_t i = 0; i < log_mean.size(); ++i) {
      double sum = 0.0;
      for (size_t m = 0; m < golden.shape.members(); ++m) {
        sum += golden.probs[m * log_mean.size() + i];
      }
      log_mean[i] = static_cast<float>(std::log(std::max(sum / golden.shape.members(), 1e-12)));
    }
    const auto fit = FitTemperature(log_mean, mean_shape, golden.labels);
    ASSERT_TRUE(fit.ok()) << fit.status();
    EXPECT_NEAR(fit->temperature, reference->second, 2e-4);
    EXPECT_NEAR(fit->nll_before, golden.reference.at("nll"), 1e-5);
    EXPECT_FALSE(fit->at_bound);
  }
}

TEST(FitTemperatureTest, ScaledLogits_GiveTheScaleBack) {
  const Labelled rows = OverconfidentRows(1, 4000, 5, 2.5, 11);
  const auto fit = FitTemperature(rows.logits, rows.shape, rows.labels);
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_NEAR(fit->temperature, 2.5, 0.15);
  EXPECT_LT(fit->nll_after, fit->nll_before);
}

TEST(FitTemperatureTest, Ensemble_NoGridPointIsBetterAndSlopeVanishes) {
  const Labelled rows = OverconfidentRows(3, 500, 4, 3.0, 12);
  const auto fit = FitTemperature(rows.logits, rows.shape, rows.labels);
  ASSERT_TRUE(fit.ok()) << fit.status();
  const auto nll = [&](double temperature) {
    return EnsembleNll(rows.logits, rows.shape, rows.labels, temperature).value();
  };
  for (double t = kMinTemperature; t <= kMaxTemperature; t *= 1.01) {
    EXPECT_GE(nll(t), fit->nll_after - 1e-10) << t;
  }
  EXPECT_NEAR((nll(fit->temperature * 1.001) - nll(fit->temperature / 1.001)) / 0.002, 0.0, 1e-4);
  EXPECT_DOUBLE_EQ(nll(1.0), fit->nll_before);
}

TEST(FitTemperatureTest, AllCorrect_StopsAtTheLowerBoundAndSaysSo) {
  const std::vector<float> logits = {3.0f, 0.0f, 0.0f, 2.0f};
  const auto fit = FitTemperature(logits, Shape(1, 2, 2), std::vector<size_t>{0, 1});
  ASSERT_TRUE(fit.ok());
  EXPECT_TRUE(fit->at_bound);
  EXPECT_NEAR(fit->temperature, kMinTemperature, 1e-6);
}

TEST(FitTemperatureTest, AlwaysWrong_StopsAtTheUpperBoundAndSaysSo) {
  const std::vector<float> logits = {3.0f, 0.0f, 0.0f, 2.0f};
  const auto fit = FitTemperature(logits, Shape(1, 2, 2), std::vector<size_t>{1, 0});
  ASSERT_TRUE(fit.ok());
  EXPECT_TRUE(fit->at_bound);
  EXPECT_NEAR(fit->temperature, kMaxTemperature, 1e-4);
}

TEST(EnsembleNllTest, OneCertainMember_IsFiniteInTheAverage) {
  const std::vector<float> logits = {0.0f, -2000.0f, 0.0f, 0.0f};  // p(label): 0 and 1/2
  const auto nll = EnsembleNll(logits, Shape(2, 1, 2), std::vector<size_t>{1}, 1.0);
  ASSERT_TRUE(nll.ok());
  EXPECT_NEAR(*nll, std::log(4.0), 1e-12);
}

TEST(EnsembleNllTest, BadInput_IsRefused) {
  const std::vector<float> logits = {0.0f, 1.0f};
  const std::vector<size_t> label = {0}, wrong = {2}, two = {0, 0};
  EXPECT_FALSE(EnsembleNll(logits, Shape(1, 1, 2), wrong, 1.0).ok());
  EXPECT_FALSE(EnsembleNll(logits, Shape(1, 1, 2), two, 1.0).ok());
  EXPECT_FALSE(EnsembleNll(logits, Shape(1, 1, 3), label, 1.0).ok());
  EXPECT_FALSE(EnsembleNll(logits, Shape(1, 1, 2), label, 0.0).ok());
  EXPECT_FALSE(EnsembleNll({}, Shape(1, 0, 2), {}, 1.0).ok());
  EXPECT_FALSE(FitTemperature(std::vector<float>{NAN, 1.0f}, Shape(1, 1, 2), label).ok());
}

}  // namespace
}  // namespace hydra::calibration
