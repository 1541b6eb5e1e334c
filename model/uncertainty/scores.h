// The scores that a policy can put a threshold on, their names, and why each makes an answer
// abstain.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace hydra::uncertainty {

// All scores are oriented alike: higher is less sure, and a row is accepted when score <=
// threshold.
enum class Score {
  kOneMinusConfidence,  // 1 - max_c p_c of the mean probabilities p
  kTotalEntropy,        // H[p], nats
  kAleatoricEntropy,    // mean_m H[p_m], nats
  kMutualInformation,   // total - aleatoric, nats; unset for M = 1
  kDisagreement,        // share of member pairs whose argmax differs; unset for M = 1
  kVariationRatio,      // share of members that do not vote argmax p; unset for M = 1
  kEnergy,              // -mean_m log sum_c exp(z_mc / T)
  kDoctor,              // (1 - sum_c p_c^2) / sum_c p_c^2 (Granese et al. 2021)
};

inline constexpr std::array<Score, 8> kAllScores = {
    Score::kOneMinusConfidence,
    Score::kTotalEntropy,
    Score::kAleatoricEntropy,
    Score::kMutualInformation,
    Score::kDisagreement,
    Score::kVariationRatio,
    Score::kEnergy,
    Score::kDoctor,
};

// One labelled row as selective prediction sees it.
struct ScoredRow {
  double score = 0.0;
  bool correct = false;
};

// Why an answer is an abstention.  The last two do not come from a score.
enum class AbstentionReason {
  kLowConfidence,
  kMembersDisagree,
  kUnfamiliarInput,
  kConformalSet,
  kPolicyClass,
};

// "one_minus_confidence", "total_entropy", ...: as in policies, bundles and replies.
absl::string_view ScoreName(Score score);

// Errors: INVALID_ARGUMENT for any other name; the message lists the names.
absl::StatusOr<Score> ParseScore(absl::string_view name);

// True for the scores that compare members with each other, unset when M = 1.
bool ComparesMembers(Score score);

// The score's name with how it was made: "total_entropy@T=1.07", "mutual_information@T=1.07,M=3"
// (M for the scores that compare members; T in six significant digits).
std::string QualifiedScoreName(Score score, double temperature, size_t members);

AbstentionReason ReasonFor(Score score);

// "LOW_CONFIDENCE", "MEMBERS_DISAGREE", "UNFAMILIAR_INPUT", "CONFORMAL_SET", "POLICY_CLASS".
absl::string_view ReasonName(AbstentionReason reason);

}  // namespace hydra::uncertainty
