#include "model/builder/calibrating/class_rules.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "model/base/status_macros.h"
#include "model/calibration/class_groups.h"
#include "model/calibration/declared_cuts.h"
#include "model/calibration/learn_then_test.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

using Json = nlohmann::ordered_json;
using uncertainty::Answer;
using uncertainty::ScoredRow;

constexpr size_t kCuts = 50;
constexpr double kStartCoverage = 0.5;

std::vector<size_t> CountPredicted(absl::Span<const Answer> answers) {
  std::vector<size_t> rows(answers.empty() ? 0 : answers[0].mean_probs.size());
  for (const Answer& answer : answers) ++rows[answer.split.predicted_class];
  return rows;
}

bool IsOf(const Answer& answer, const calibration::ClassGroup& rule) {
  return std::binary_search(rule.classes.begin(), rule.classes.end(), answer.split.predicted_class);
}

// The last threshold that testing certifies, or why there is none.
absl::StatusOr<Json> FindCut(const std::vector<double>& path, absl::Span<const ScoredRow> rows,
                             const ClassRuleTarget& target) {
  if (path.empty()) return Json{{"cut", nullptr}, {"why", "no path row of these classes"}};
  HYDRA_ASSIGN_OR_RETURN(const std::vector<double> cuts, calibration::DeclareCuts(path, kCuts));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<artifact::CertificateCut> counts,
                         calibration::CountCuts(rows, cuts));
  calibration::ControlledRisk risk{.name = "selective risk", .level = target.risk, .counts = {}};
  calibration::ExpectedCoverage expected{
      .coverage = {}, .path_rows = path.size(), .rows = rows.size()};
  for (const artifact::CertificateCut& cut : counts) {
    risk.counts.push_back({.rows = cut.accepted, .loss = static_cast<double>(cut.errors)});
    const auto accepted = std::count_if(path.begin(), path.end(),
                                        [&](double score) { return score <= cut.threshold; });
    expected.coverage.push_back(static_cast<double>(accepted) / static_cast<double>(path.size()));
  }
  // The last cut covers all path rows, and a rule has the rows that it takes.
  size_t start = calibration::FirstTestable(expected, target.risk, target.delta).value();
  while (expected.coverage[start] < kStartCoverage) ++start;
  HYDRA_ASSIGN_OR_RETURN(
      const calibration::TestedCandidates tested,
      calibration::LearnThenTest({risk}, {.starts = {start}, .delta = target.delta}));
  if (tested.certified.empty()) return Json{{"cut", nullptr}, {"why", tested.explanation}};
  const artifact::CertificateCut& cut = counts[tested.certified.back()];
  return Json{
      {"cut", {{"threshold", cut.threshold}, {"accepted", cut.accepted}, {"errors", cut.errors}}}};
}

}  // namespace

absl::StatusOr<Json> DescribeClassRules(absl::Span<const Answer> path,
                                        absl::Span<const Answer> certify,
                                        absl::Span<const size_t> labels,
                                        const ClassRuleTarget& target) {
  const std::vector<size_t> rows_of_class = CountPredicted(certify);
  std::vector<size_t> order(rows_of_class.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rows_of_class[a] > rows_of_class[b]; });
  HYDRA_ASSIGN_OR_RETURN(
      const calibration::ClassPlan plan,
      calibration::PlanClassRules(rows_of_class, order, target.risk, target.delta));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<ScoredRow> scored,
                         uncertainty::ScoreRows(certify, labels, target.score));
  Json json = {{"target_risk", target.risk},
               {"delta", target.delta},
               {"score", std::string(uncertainty::ScoreName(target.score))},
               {"rows_needed", plan.rows_needed},
               {"rules", Json::array()},
               {"infeasible", {{"classes", plan.infeasible}, {"why", plan.explanation}}}};
  for (const calibration::ClassGroup& rule : plan.rules) {
    std::vector<double> path_scores;
    std::vector<ScoredRow> rows;
    for (const Answer& answer : path) {
      if (IsOf(answer, rule)) path_scores.push_back(*uncertainty::ScoreOf(answer, target.score));
    }
    for (size_t i = 0; i < certify.size(); ++i) {
      if (IsOf(certify[i], rule)) rows.push_back(scored[i]);
    }
    Json described = {{"classes", rule.classes}, {"n", rule.rows}};
    HYDRA_ASSIGN_OR_RETURN(const Json cut, FindCut(path_scores, rows, target));
    described.update(cut);
    json["rules"].push_back(std::move(described));
  }
  return json;
}

}  // namespace hydra::builder
