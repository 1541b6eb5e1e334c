// Predict or abstain: a policy's rules applied to one answer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/uncertainty/answer.h"
#include "model/uncertainty/scores.h"

namespace hydra::uncertainty {

// Accepts a row whose score is at most the threshold.
struct Rule {
  Score score = Score::kOneMinusConfidence;
  double threshold = 0.0;
};

enum class Outcome { kPredicted, kAbstained };

// What made a rule fire.  A score that cannot be compared abstains: it is never accepted unseen.
enum class RuleFailure {
  kOverThreshold,
  kScoreUnset,     // the score compares members and there is only one
  kNotComparable,  // the score or the threshold is not a number
};

struct Decision {
  Outcome outcome = Outcome::kPredicted;
  // The rule that the next four fields speak of: the first that fired; for a prediction the first
  // rule; unset without rules.
  std::optional<size_t> rule;
  std::optional<double> score;  // its value; unset as in ScoreOf
  double threshold = 0.0;
  std::optional<RuleFailure> failure;      // set for abstentions
  std::optional<AbstentionReason> reason;  // set for abstentions
};

// Abstains if any rule fires.  Thread-safe.
Decision Decide(const Answer& answer, absl::Span<const Rule> rules);

// "mutual_information 0.31 is over its threshold 0.2", or why the score could not be compared;
// empty without rules.
std::string Explain(const Decision& decision, absl::Span<const Rule> rules);

// Whether the rules can be served by an ensemble of `members`.
// Errors: INVALID_ARGUMENT naming `rules[i]` if a threshold is not a number, or a score occurs
// twice, or compares members and `members` is 1.
absl::Status CheckRules(absl::Span<const Rule> rules, size_t members);

}  // namespace hydra::uncertainty
