#include "model/importance/lapsum.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "nlohmann/json.hpp"

namespace hydra::importance {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;

struct Problem {
  Values scores;
  SoftTopKOptions options;
  Values upstream;
};

Problem RandomProblem(base::Rng& rng) {
  const size_t n = 2 + rng.UniformBelow(143);
  const Values temperatures = {5.0, 1.0, 0.3, 0.05};
  Problem problem;
  for (size_t i = 0; i < n; ++i) {
    problem.scores.push_back(rng.Normal());
    problem.upstream.push_back(rng.Normal());
  }
  problem.options.temperature = temperatures[rng.UniformBelow(4)];
  problem.options.count = 0.2 + (static_cast<double>(n) - 0.4) * rng.Uniform();
  return problem;
}

double Objective(const Problem& problem) {
  const SoftTopK result = ComputeSoftTopK(problem.scores, problem.options).value();
  return std::inner_product(result.weights.begin(), result.weights.end(), problem.upstream.begin(),
                            0.0);
}

// Central difference of the objective along `value`, which lies in `problem`.
double Difference(Problem& problem, double& value, double step) {
  const double centre = value;
  value = centre + step;
  const double above = Objective(problem);
  value = centre - step;
  const double below = Objective(problem);
  value = centre;
  return (above - below) / (2.0 * step);
}

SoftTopKGradient Gradient(const Problem& problem) {
  const SoftTopK forward = ComputeSoftTopK(problem.scores, problem.options).value();
  return PullBackSoftTopK(problem.scores, forward, problem.options, problem.upstream).value();
}

void ExpectClose(double got, double want, double tolerance, const char* what) {
  EXPECT_NEAR(got, want, tolerance * (1.0 + std::abs(want))) << what;
}

TEST(SoftTopKTest, RandomScores_WeightsSumToTheCountAndFollowTheOrder) {
  base::Rng rng(1);
  for (int round = 0; round < 300; ++round) {
    const Problem problem = RandomProblem(rng);
    const auto result = ComputeSoftTopK(problem.scores, problem.options);
    ASSERT_TRUE(result.ok()) << result.status();
    const Values& p = result->weights;
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), problem.options.count, 1e-12);
    for (size_t i = 1; i < p.size(); ++i)
      EXPECT_TRUE((p[i] >= p[i - 1]) == (problem.scores[i] >= problem.scores[i - 1]) ||
                  p[i] == p[i - 1]);
  }
}

TEST(SoftTopKTest, RandomScores_GradientsEqualFiniteDifferences) {
  base::Rng rng(2);
  for (int round = 0; round < 300; ++round) {
    Problem problem = RandomProblem(rng);
    const SoftTopKGradient gradient = Gradient(problem);
    const double step = 1e-6 * problem.options.temperature;
    for (int i = 0; i < 3; ++i) {
      const size_t index = rng.UniformBelow(problem.scores.size());
      ExpectClose(gradient.scores[index], Difference(problem, problem.scores[index], step), 1e-6,
                  "score");
    }
    ExpectClose(gradient.count, Difference(problem, problem.options.count, 1e-6), 1e-6, "count");
    ExpectClose(gradient.temperature, Difference(problem, problem.options.temperature, step), 1e-6,
                "temperature");
  }
}

TEST(SoftTopKTest, GoldenCases_EqualBisectionAndDifferencesInSixtyDigits) {
  std::ifstream file(HYDRA_SOURCE_DIR "/tests/golden/lapsum_vectors.json");
  const auto json = nlohmann::json::parse(file);
  ASSERT_GE(json["cases"].size(), 10u);
  for (const auto& one : json["cases"]) {
    const Problem problem = {one["scores"].get<Values>(),
                             {one["count"].get<double>(), one["temperature"].get<double>()},
                             one["upstream"].get<Values>()};
    const auto result = ComputeSoftTopK(problem.scores, problem.options);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectClose(result->barrier, one["barrier"].get<double>(), 1e-13, "barrier");
    const Values weights = one["weights"].get<Values>();
    for (size_t i = 0; i < weights.size(); ++i)
      ExpectClose(result->weights[i], weights[i], 1e-12, "weight");
    const SoftTopKGradient gradient = Gradient(problem);
    for (const auto& [index, value] : one["score_gradients"].items())
      ExpectClose(gradient.scores[std::stoul(index)], value.get<double>(), 1e-10, "score");
    ExpectClose(gradient.count, one["count_gradient"].get<double>(), 1e-10, "count");
    ExpectClose(gradient.temperature, one["temperature_gradient"].get<double>(), 1e-10,
                "temperature");
  }
}

TEST(SoftTopKTest, LowTemperature_IsTheHardChoice) {
  const auto result =
      ComputeSoftTopK(Values{0.3, -1.0, 2.0, 0.9}, {.count = 2.0, .temperature = 1e-4});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->weights,
              ::testing::Pointwise(::testing::DoubleNear(1e-9), {0.0, 0.0, 1.0, 1.0}));
}

TEST(SoftTopKTest, ScoresFarFromTheBarrier_GiveFiniteGradients) {
  const Problem problem = {{1000.0, -1000.0}, {.count = 1.0, .temperature = 0.01}, {1.0, -1.0}};
  const SoftTopKGradient gradient = Gradient(problem);
  EXPECT_EQ(gradient.scores, Values({0.0, 0.0}));
  EXPECT_TRUE(std::isfinite(gradient.count) && std::isfinite(gradient.temperature));
}

TEST(SoftTopKTest, EqualScores_ShareTheCount) {
  const auto result = ComputeSoftTopK(Values(8, 0.7), {.count = 2.0, .temperature = 0.1});
  ASSERT_TRUE(result.ok()) << result.status();
  for (const double p : result->weights) EXPECT_NEAR(p, 0.25, 1e-15);
}

TEST(SoftTopKTest, RequestsThatMakeNoSense_AreRefused) {
  const Values scores = {1.0, 2.0, 3.0};
  EXPECT_THAT(ComputeSoftTopK(scores, {.count = 3.0}).status().message(), HasSubstr("less than 3"));
  EXPECT_FALSE(ComputeSoftTopK(scores, {.count = 0.0}).ok());
  EXPECT_THAT(ComputeSoftTopK(scores, {.temperature = -1.0}).status().message(),
              HasSubstr("got -1"));
  EXPECT_FALSE(ComputeSoftTopK(scores, {.temperature = 1e-320}).ok());
  EXPECT_FALSE(ComputeSoftTopK(Values{1.0}, {.count = 0.5}).ok());
  EXPECT_FALSE(ComputeSoftTopK(Values{1.0, std::numeric_limits<double>::quiet_NaN()}, {}).ok());
  const SoftTopK forward = ComputeSoftTopK(scores, {}).value();
  EXPECT_THAT(PullBackSoftTopK(scores, forward, {}, Values{1.0}).status().message(),
              HasSubstr("1 gradients"));
}

}  // namespace
}  // namespace hydra::importance
