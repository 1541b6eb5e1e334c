#include "model/uncertainty/scores.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::uncertainty {
namespace {

using ::testing::HasSubstr;

std::string Text(absl::string_view text) { return std::string(text.data(), text.size()); }

TEST(ScoresTest, EveryScore_HasItsOwnNameThatParsesBack) {
  std::set<std::string> names;
  for (const Score score : kAllScores) {
    names.insert(Text(ScoreName(score)));
    const auto parsed = ParseScore(ScoreName(score));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, score);
  }
  EXPECT_EQ(names, (std::set<std::string>{"one_minus_confidence", "total_entropy",
                                          "aleatoric_entropy", "mutual_information", "disagreement",
                                          "variation_ratio", "energy", "doctor"}));
}

TEST(ParseScoreTest, UnknownName_IsRefusedWithTheNames) {
  for (const char* name : {"", "Energy", "energy ", "mutual_information@T=1"}) {
    const auto parsed = ParseScore(name);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(Text(parsed.status().message()), HasSubstr("one_minus_confidence, total_entropy"));
  }
}

TEST(QualifiedScoreNameTest, MemberCount_OnlyWhereMembersAreCompared) {
  EXPECT_EQ(QualifiedScoreName(Score::kMutualInformation, 1.07, 3),
            "mutual_information@T=1.07,M=3");
  EXPECT_EQ(QualifiedScoreName(Score::kTotalEntropy, 1.0, 3), "total_entropy@T=1");
  EXPECT_EQ(QualifiedScoreName(Score::kEnergy, 0.1234567, 3), "energy@T=0.123457");
}

TEST(ReasonForTest, Scores_NameTheQuestionTheyAnswer) {
  EXPECT_EQ(ReasonName(ReasonFor(Score::kOneMinusConfidence)), "LOW_CONFIDENCE");
  EXPECT_EQ(ReasonName(ReasonFor(Score::kTotalEntropy)), "LOW_CONFIDENCE");
  EXPECT_EQ(ReasonName(ReasonFor(Score::kAleatoricEntropy)), "LOW_CONFIDENCE");
  EXPECT_EQ(ReasonName(ReasonFor(Score::kMutualInformation)), "MEMBERS_DISAGREE");
  EXPECT_EQ(ReasonName(ReasonFor(Score::kDisagreement)), "MEMBERS_DISAGREE");
  EXPECT_EQ(ReasonName(ReasonFor(Score::kVariationRatio)), "MEMBERS_DISAGREE");
  EXPECT_EQ(ReasonName(ReasonFor(Score::kEnergy)), "UNFAMILIAR_INPUT");
  EXPECT_EQ(ReasonName(ReasonFor(Score::kDoctor)), "LOW_CONFIDENCE");
}

}  // namespace
}  // namespace hydra::uncertainty
