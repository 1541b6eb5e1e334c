#include "model/uncertainty/decision.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace hydra::uncertainty {
namespace {

std::optional<RuleFailure> FailureOf(std::optional<double> score, double threshold) {
  if (!score.has_value()) return RuleFailure::kScoreUnset;
  if (std::isnan(*score) || std::isnan(threshold)) return RuleFailure::kNotComparable;
  if (*score > threshold) return RuleFailure::kOverThreshold;
  return std::nullopt;
}

Decision Apply(const Answer& answer, absl::Span<const Rule> rules, size_t index) {
  const Rule& rule = rules[index];
  Decision decision{
      .rule = index, .score = ScoreOf(answer, rule.score), .threshold = rule.threshold};
  decision.failure = FailureOf(decision.score, rule.threshold);
  if (decision.failure.has_value()) {
    decision.outcome = Outcome::kAbstained;
    decision.reason = ReasonFor(rule.score);
  }
  return decision;
}

}  // namespace

Decision Decide(const Answer& answer, absl::Span<const Rule> rules) {
  if (rules.empty()) return {};
  for (size_t i = 0; i < rules.size(); ++i) {
    Decision decision = Apply(answer, rules, i);
    if (decision.outcome == Outcome::kAbstained) return decision;
  }
  return Apply(answer, rules, 0);
}

std::string Explain(const Decision& decision, absl::Span<const Rule> rules) {
  if (!decision.rule.has_value() || *decision.rule >= rules.size()) return "";
  const absl::string_view name = ScoreName(rules[*decision.rule].score);
  if (!decision.failure.has_value()) {
    return absl::StrCat(name, " ", *decision.score, " is within its threshold ",
                        decision.threshold);
  }
  switch (*decision.failure) {
    case RuleFailure::kOverThreshold:
      return absl::StrCat(name, " ", *decision.score, " is over its threshold ",
                          decision.threshold);
    case RuleFailure::kScoreUnset:
      return absl::StrCat(name, " compares members and there is only one");
    case RuleFailure::kNotComparable:
      return absl::StrCat(name, " ", *decision.score, " cannot be compared with the threshold ",
                          decision.threshold);
  }
  return "";
}

absl::Status CheckRules(absl::Span<const Rule> rules, size_t members) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const absl::string_view name = ScoreName(rules[i].score);
    if (std::isnan(rules[i].threshold)) {
      return absl::InvalidArgumentError(
          absl::StrCat("rules[", i, "].threshold: got NaN for ", name, ", want a number"));
    }
    if (members < 2 && ComparesMembers(rules[i].score)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "rules[", i, "].score: ", name, " compares members and the ensemble has ", members));
    }
    for (size_t j = 0; j < i; ++j) {
      if (rules[j].score != rules[i].score) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("rules[", i, "].score: ", name, " is already in rules[", j, "]"));
    }
  }
  return absl::OkStatus();
}

}  // namespace hydra::uncertainty
