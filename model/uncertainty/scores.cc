#include "model/uncertainty/scores.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/base/check.h"

namespace hydra::uncertainty {
namespace {

struct ScoreFacts {
  Score score;
  const char* name;
  bool compares_members;
  AbstentionReason reason;
};

constexpr std::array<ScoreFacts, kAllScores.size()> kFacts = {{
    {Score::kOneMinusConfidence, "one_minus_confidence", false, AbstentionReason::kLowConfidence},
    {Score::kTotalEntropy, "total_entropy", false, AbstentionReason::kLowConfidence},
    {Score::kAleatoricEntropy, "aleatoric_entropy", false, AbstentionReason::kLowConfidence},
    {Score::kMutualInformation, "mutual_information", true, AbstentionReason::kMembersDisagree},
    {Score::kDisagreement, "disagreement", true, AbstentionReason::kMembersDisagree},
    {Score::kVariationRatio, "variation_ratio", true, AbstentionReason::kMembersDisagree},
    {Score::kEnergy, "energy", false, AbstentionReason::kUnfamiliarInput},
    {Score::kDoctor, "doctor", false, AbstentionReason::kLowConfidence},
}};

const ScoreFacts& FactsOf(Score score) {
  const size_t index = static_cast<size_t>(score);
  HYDRA_CHECK(index < kFacts.size() && kFacts[index].score == score);
  return kFacts[index];
}

}  // namespace

absl::string_view ScoreName(Score score) { return FactsOf(score).name; }

absl::StatusOr<Score> ParseScore(absl::string_view name) {
  std::vector<absl::string_view> known;
  for (const ScoreFacts& facts : kFacts) {
    if (name == facts.name) return facts.score;
    known.push_back(facts.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("score: got \"", name, "\", want one of ", absl::StrJoin(known, ", ")));
}

bool ComparesMembers(Score score) { return FactsOf(score).compares_members; }

std::string QualifiedScoreName(Score score, double temperature, size_t members) {
  std::string name = absl::StrFormat("%s@T=%.6g", ScoreName(score), temperature);
  if (ComparesMembers(score)) absl::StrAppend(&name, ",M=", members);
  return name;
}

AbstentionReason ReasonFor(Score score) { return FactsOf(score).reason; }

absl::string_view ReasonName(AbstentionReason reason) {
  switch (reason) {
    case AbstentionReason::kLowConfidence:
      return "LOW_CONFIDENCE";
    case AbstentionReason::kMembersDisagree:
      return "MEMBERS_DISAGREE";
    case AbstentionReason::kUnfamiliarInput:
      return "UNFAMILIAR_INPUT";
    case AbstentionReason::kConformalSet:
      return "CONFORMAL_SET";
    case AbstentionReason::kPolicyClass:
      return "POLICY_CLASS";
  }
  HYDRA_CHECK(false);
}

}  // namespace hydra::uncertainty
