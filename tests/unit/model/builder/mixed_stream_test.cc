// Rankings over in-distribution, near and far rows, and what they are made of.
#include "model/builder/quality/mixed_stream.h"

#include <cmath>
#include <fstream>
#include <map>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/rng.h"
#include "model/builder/calibrating/class_rules.h"
#include "model/builder/calibrating/default_score.h"
#include "model/builder/evaluation/statistics.h"
#include "model/builder/quality/logistic.h"
#include "model/builder/quality/measures.h"
#include "model/builder/quality/score_combiner.h"
#include "model/builder/source/shift_data.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using uncertainty::Answer;
using uncertainty::ScoredRow;

TEST(FitLogistic, GoldenRows_EqualScikitLearn) {
  std::ifstream file(std::string(HYDRA_SOURCE_DIR) + "/tests/golden/statistics/metrics.json");
  const auto document = nlohmann::json::parse(file, nullptr, false);
  ASSERT_TRUE(document.is_object());
  for (const auto& golden : document["logistic"]) {
    std::vector<LogisticRow> rows;
    for (size_t i = 0; i < golden["x"].size(); ++i) {
      rows.push_back({.x = golden["x"][i],
                      .y = golden["y"][i].get<int>() == 1,
                      .weight = golden["weight"][i]});
    }
    const auto model = FitLogistic(rows, golden["ridge"]);
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_NEAR(model->intercept, golden["intercept"].get<double>(), 1e-4);
    for (size_t j = 0; j < model->weights.size(); ++j)
      EXPECT_NEAR(model->weights[j], golden["coefficients"][j].get<double>(), 1e-4);
  }
}

TEST(FitLogistic, BadRows_AreRefused) {
  const LogisticRow yes{.x = {1.0}, .y = true}, no{.x = {2.0}};
  EXPECT_TRUE(FitLogistic(std::vector<LogisticRow>{yes, no}, 0.1).ok());
  EXPECT_FALSE(FitLogistic({}, 0.1).ok());
  EXPECT_FALSE(FitLogistic(std::vector<LogisticRow>{yes, yes}, 0.1).ok());
  EXPECT_FALSE(FitLogistic(std::vector<LogisticRow>{yes, no}, 0.0).ok());
  EXPECT_FALSE(FitLogistic(std::vector<LogisticRow>{yes, {.x = {1.0, 2.0}}}, 0.1).ok());
  EXPECT_FALSE(FitLogistic(std::vector<LogisticRow>{yes, {.x = {NAN}}}, 0.1).ok());
}

TEST(PlanStream, ThreeParts_HaveAsManyRowsAsTheSmallest) {
  const auto plan = PlanStream(100, {{"a", 30}, {"b", 50}, {"c", 40}}, {"a"}, 7);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->each, 30u);
  EXPECT_EQ(plan->parts, 3u);
  std::map<std::string, size_t> count;
  std::map<std::pair<std::string, size_t>, size_t> times;
  for (const StreamRow& row : plan->rows) {
    ++count[row.set];
    EXPECT_EQ(++times[std::make_pair(row.set, row.row)], 1u);
  }
  EXPECT_EQ(count[""], 30u);
  EXPECT_EQ(count["a"], 30u);
  EXPECT_EQ(count["b"] + count["c"], 30u);
  EXPECT_GT(count["b"], 0u);
  EXPECT_GT(count["c"], 0u);
  EXPECT_EQ(PlanStream(100, {{"a", 30}}, {}, 7)->parts, 2u);
  EXPECT_FALSE(PlanStream(100, {}, {}, 7).ok());
}

TEST(StreamRows, OutOfDistributionRows_AreMistakes) {
  const StreamPlan plan{.each = 2, .parts = 2, .rows = {{"", 1}, {"", 0}, {"x", 0}, {"x", 1}}};
  const std::vector<ScoredRow> id = {{0.1, true}, {0.2, false}};
  const auto rows = StreamRows(plan, id, {{"x", {0.3, 0.4}}}).value();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_FALSE(rows[0].correct);
  EXPECT_TRUE(rows[1].correct);
  EXPECT_EQ(rows[3].score, 0.4);
  EXPECT_FALSE(rows[3].correct);
  EXPECT_FALSE(StreamRows(plan, id, {}).ok());
}

// Two members over two classes: `confidence` makes both unsure, `conflict` sets them apart.
Predictions TwoMembers(size_t rows, base::Rng& rng, double sureness, double conflict) {
  Predictions made{.members = 2, .rows = rows, .classes = 2};
  made.logits.resize(2 * rows * 2);
  for (size_t i = 0; i < rows; ++i) {
    const double margin = sureness + rng.Normal();
    const double apart = conflict * std::abs(rng.Normal());
    made.logits[2 * i] = static_cast<float>(margin + apart);
    made.logits[2 * (rows + i)] = static_cast<float>(margin - apart);
    // Wrong in half of the rows that are not sure.
    made.labels.push_back(margin < 0.5 && rng.Uniform() < 0.5 ? 1 : 0);
  }
  return made;
}

TEST(ScoreCombiner, ErrorsAndOutliersOfTwoKinds_AreRankedBetterThanByOneScore) {
  base::Rng rng(11);
  EvaluatedSystem system{.name = "x"};
  system.path = TwoMembers(800, rng, 2.0, 0.1);
  system.proxies = TwoMembers(800, rng, 6.0, 4.0);  // surer than the data, and in conflict
  system.id = TwoMembers(800, rng, 2.0, 0.1);
  system.ood["far"] = TwoMembers(800, rng, 6.0, 4.0);
  const auto path = Answers(system.path, 1.0).value();
  const auto combiner =
      ScoreCombiner::Fit(path, system.path.labels, Answers(system.proxies, 1.0).value());
  ASSERT_TRUE(combiner.ok()) << combiner.status();
  EXPECT_EQ(combiner->columns().size(), ScoresOf(2).size());
  const StreamPlan plan = PlanStream(800, {{"far", 800}}, {}, 1).value();
  const auto aurc = [](const auto& rows) { return metrics::MeasureSelective(*rows)->aurc; };
  const double combined = aurc(StreamByCombiner(system, plan, *combiner));
  for (const uncertainty::Score score : ScoresOf(2)) {
    EXPECT_LT(combined, aurc(StreamByScore(system, plan, score)) + 1e-9)
        << std::string(uncertainty::ScoreName(score));
  }
  EXPECT_FALSE(ScoreCombiner::Fit(path, system.path.labels, {}).ok());
}

TEST(RankByQuestion, ErrorsAndOutliers_HaveScoresOfTheirOwn) {
  base::Rng rng(12);
  const Predictions path = TwoMembers(800, rng, 2.0, 0.1);
  const Predictions proxies = TwoMembers(800, rng, 6.0, 4.0);
  const auto rankings =
      RankByQuestion(Answers(path, 1.0).value(), path.labels, Answers(proxies, 1.0).value());
  ASSERT_TRUE(rankings.ok()) << rankings.status();
  EXPECT_NE(rankings->errors.best, rankings->ood.best);
  EXPECT_GT(rankings->ood.value.at(rankings->ood.best), 0.8);
  for (const auto& [score, value] : rankings->errors.value)
    EXPECT_GE(value, rankings->errors.value.at(rankings->errors.best));
}

// One member; classes 0..3 are predicted for 100, 80, 200 and 120 of 500 rows, and right but for
// the `wrong` least sure rows of class 2.
Predictions FourClasses(size_t wrong, uint64_t seed) {
  base::Rng rng(seed);
  Predictions rows{.members = 1, .rows = 500, .classes = 4};
  for (size_t i = 0; i < rows.rows; ++i) {
    const size_t predicted = i < 200 ? 2 : i < 300 ? 0 : i < 380 ? 1 : 3;
    const bool unsure = i < wrong;
    for (size_t c = 0; c < 4; ++c) {
      rows.logits.push_back(
          c == predicted ? (unsure ? 1.0f : 3.0f) + static_cast<float>(rng.Uniform()) : 0.0f);
    }
    rows.labels.push_back(unsure ? 3 : predicted);
  }
  return rows;
}

TEST(DescribeClassRules, ClassesWithFewRows_ShareARule) {
  const Predictions path = FourClasses(20, 14), certify = FourClasses(20, 15);
  const auto json = DescribeClassRules(Answers(path, 1.0).value(), Answers(certify, 1.0).value(),
                                       certify.labels, {.risk = 0.02, .delta = 0.05});
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ((*json)["rows_needed"], 149);
  ASSERT_EQ((*json)["rules"].size(), 2u);
  const auto& alone = (*json)["rules"][0];
  const auto& together = (*json)["rules"][1];
  EXPECT_EQ(alone["classes"], nlohmann::ordered_json::array({2}));
  EXPECT_EQ(together["classes"], nlohmann::ordered_json::array({0, 1, 3}));
  EXPECT_EQ(together["n"], 300);
  EXPECT_GE(together["cut"]["accepted"].get<size_t>(), 290u);
  EXPECT_GE(alone["cut"]["accepted"].get<size_t>(), 149u);  // and not the 20 that are wrong
  EXPECT_LE(alone["cut"]["accepted"].get<size_t>(), 180u);
  EXPECT_EQ(alone["cut"]["errors"], 0);
}

TEST(DescribeClassRules, TooManyErrors_SaysWhy) {
  const Predictions path = FourClasses(120, 14), certify = FourClasses(120, 15);
  const auto json = DescribeClassRules(Answers(path, 1.0).value(), Answers(certify, 1.0).value(),
                                       certify.labels, {.risk = 0.02, .delta = 0.05});
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_TRUE((*json)["rules"][0]["cut"].is_null());
  EXPECT_NE((*json)["rules"][0]["why"].get<std::string>().find("149 rows"), std::string::npos);
}

TEST(DifferencesOf, SystemsThatMoveTogether_HaveANarrowerIntervalThanTheirOwn) {
  base::Rng rng(13);
  std::vector<double> base(500);
  for (double& value : base) value = rng.Normal();
  const auto mean = [&base](double added) {
    return Statistic{base.size(), [&base, added](absl::Span<const size_t> rows) {
                       double sum = 0.0;
                       for (const size_t row : rows) sum += base[row] + added;
                       return absl::StatusOr<double>(sum / static_cast<double>(rows.size()));
                     }};
  };
  const Statistics ours = {{"m", mean(0.25)}, {"own", mean(0.0)}};
  const Statistics theirs = {{"m", mean(0.0)}};
  const auto differences = DifferencesOf(ours, theirs, {.resamples = 200});
  ASSERT_TRUE(differences.ok()) << differences.status();
  ASSERT_EQ(differences->size(), 1u);
  EXPECT_NEAR(differences->at("m").value, 0.25, 1e-12);
  EXPECT_NEAR(differences->at("m").interval.low, 0.25, 1e-9);
  EXPECT_NEAR(differences->at("m").interval.high, 0.25, 1e-9);
}

TEST(CorruptImages, RowAmongOthers_IsChangedAsAlone) {
  LabelledData data;
  data.examples.pixels = at::arange(2 * 64, at::kLong).to(at::kByte).view({2, 1, 8, 8});
  data.examples.labels = at::tensor({1, 0}, at::kLong);
  data.digests = {"a", "b"};
  const auto both = CorruptImages(data, data::Corruption::kGaussianNoise, 3, 5);
  ASSERT_TRUE(both.ok()) << both.status();
  const LabelledData second = SelectRows(data, std::vector<size_t>{1});
  const auto alone = CorruptImages(second, data::Corruption::kGaussianNoise, 3, 5);
  EXPECT_TRUE(at::equal(both->examples.pixels[1], alone->examples.pixels[0]));
  EXPECT_FALSE(at::equal(both->examples.pixels[1], data.examples.pixels[1]));
  EXPECT_TRUE(at::equal(both->examples.labels, data.examples.labels));
  LabelledData texts;
  texts.examples.tokens = {{1, 2}};
  EXPECT_FALSE(CorruptImages(texts, data::Corruption::kBlur, 1, 5).ok());
}

}  // namespace
}  // namespace hydra::builder
