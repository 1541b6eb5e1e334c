#include "model/calibration/conformal_quantile.h"

#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/uncertainty/split.h"
#include "tests/golden/uncertainty_golden.h"

namespace hydra::calibration {
namespace {

using ::testing::HasSubstr;
using uncertainty::Answer;
using uncertainty::ConformalMethod;

std::vector<Answer> GoldenAnswers(const golden::UncertaintyCase& golden) {
  const auto mean = uncertainty::MeanOverMembers(golden.probs, golden.shape).value();
  std::vector<Answer> answers(golden.shape.batch());
  for (size_t b = 0; b < answers.size(); ++b) {
    const auto begin = mean.begin() + b * golden.shape.classes();
    answers[b].mean_probs.assign(begin, begin + golden.shape.classes());
  }
  return answers;
}

TEST(SplitConformalQuantileTest, HundredScores_TakeThe91st) {
  std::vector<double> scores(100);
  std::iota(scores.rbegin(), scores.rend(), 1.0);
  EXPECT_EQ(SplitConformalQuantile(scores, 0.1).value(), 91.0);
}

TEST(SplitConformalQuantileTest, WholeRank_IsNotPushedUpByRounding) {
  std::vector<double> scores(9);
  std::iota(scores.begin(), scores.end(), 1.0);
  EXPECT_EQ(SplitConformalQuantile(scores, 0.1).value(), 9.0);
  scores.resize(99);
  std::iota(scores.begin(), scores.end(), 1.0);
  for (int percent = 1; percent < 100; ++percent) {
    EXPECT_EQ(SplitConformalQuantile(scores, percent / 100.0).value(), 100.0 - percent);
  }
}

TEST(SplitConformalQuantileTest, RankBeyondTheScores_IsInfinite) {
  EXPECT_TRUE(std::isinf(SplitConformalQuantile(std::vector<double>(8, 0.5), 0.1).value()));
  EXPECT_EQ(ConformalRowsNeeded(0.1), 9u);
  EXPECT_EQ(ConformalRowsNeeded(0.05), 19u);
  EXPECT_EQ(ConformalRowsNeeded(0.3), 3u);
}

TEST(SplitConformalQuantileTest, BadInput_IsRefused) {
  EXPECT_FALSE(SplitConformalQuantile({}, 0.1).ok());
  EXPECT_FALSE(SplitConformalQuantile({0.1, NAN}, 0.1).ok());
  EXPECT_FALSE(SplitConformalQuantile({0.1}, 0.0).ok());
  EXPECT_FALSE(SplitConformalQuantile({0.1}, 1.0).ok());
}

// MAPIE's and crepes' LAC figures: the first half calibrates, the second is judged.  MAPIE's APS
// randomises the calibration scores, so it is no reference for u = 0.
TEST(CalibrateConformalTest, GoldenCases_EqualLacReference) {
  size_t compared = 0;
  for (const golden::UncertaintyCase& golden : golden::LoadUncertaintyCases()) {
    if (!golden.reference.contains("lac_qhat")) continue;  // infinite: too few rows
    SCOPED_TRACE(golden.name);
    const std::vector<Answer> answers = GoldenAnswers(golden);
    const size_t half = answers.size() / 2;
    const absl::Span<const Answer> all(answers);
    const absl::Span<const size_t> labels(golden.labels);
    const auto quantile = CalibrateConformal(all.first(half), labels.first(half),
                                             ConformalMethod::kLac, golden.alpha);
    ASSERT_TRUE(quantile.ok()) << quantile.status();
    EXPECT_NEAR(quantile->quantile, golden.reference.at("lac_qhat"), 1e-6);
    EXPECT_EQ(quantile->method, "lac");
    EXPECT_EQ(quantile->n, half);
    double size = 0.0, covered = 0.0;
    for (size_t i = half; i < answers.size(); ++i) {
      const auto set = uncertainty::ConformalSet(answers[i].mean_probs, quantile->quantile,
                                                 ConformalMethod::kLac);
      size += set.size();
      covered += std::count(set.begin(), set.end(), golden.labels[i]);
    }
    const double judged = static_cast<double>(answers.size() - half);
    EXPECT_NEAR(size / judged, golden.reference.at("lac_set_size"), 1e-9);
    EXPECT_NEAR(covered / judged, golden.reference.at("lac_coverage"), 1e-9);
    ++compared;
  }
  EXPECT_EQ(compared, 5u);
}

TEST(CalibrateConformalTest, ManyDraws_CoverAtLeastNominally) {
  base::Rng rng(99);
  for (const auto method : {ConformalMethod::kLac, ConformalMethod::kAps}) {
    int covered = 0;
    const int repetitions = 4000;
    for (int r = 0; r < repetitions; ++r) {
      std::vector<Answer> answers(20);
      std::vector<size_t> labels(20);
      for (size_t i = 0; i < answers.size(); ++i) {
        const float p = static_cast<float>(rng.Uniform());
        answers[i].mean_probs = {p / 2, p / 2, 1 - p};
        labels[i] = static_cast<size_t>(rng.UniformBelow(3));
      }
      const absl::Span<const Answer> all(answers);
      const auto quantile =
          CalibrateConformal(all.first(19), absl::MakeSpan(labels).first(19), method, 0.2).value();
      const auto set =
          uncertainty::ConformalSet(answers.back().mean_probs, quantile.quantile, method);
      covered += std::count(set.begin(), set.end(), labels.back());
    }
    EXPECT_GE(covered, repetitions * 0.8 - 3.0 * std::sqrt(repetitions * 0.8 * 0.2));
  }
}

TEST(CalibrateConformalTest, TooFewRows_SaysHowMany) {
  std::vector<Answer> answers(8);
  for (Answer& answer : answers) answer.mean_probs = {0.25f, 0.75f};
  const auto quantile =
      CalibrateConformal(answers, std::vector<size_t>(8, 1), ConformalMethod::kLac, 0.1);
  EXPECT_EQ(quantile.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(quantile.status().message()), HasSubstr("want at least 9"));
}

TEST(CalibrateConformalTest, BadLabels_AreRefused) {
  std::vector<Answer> answers(1);
  answers[0].mean_probs = {0.25f, 0.75f};
  EXPECT_FALSE(CalibrateConformal(answers, {}, ConformalMethod::kLac, 0.5).ok());
  EXPECT_FALSE(
      CalibrateConformal(answers, std::vector<size_t>{2}, ConformalMethod::kLac, 0.5).ok());
}

}  // namespace
}  // namespace hydra::calibration
