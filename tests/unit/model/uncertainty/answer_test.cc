#include "model/uncertainty/answer.h"

#include <cmath>

#include "gtest/gtest.h"
#include "model/base/rng.h"

namespace hydra::uncertainty {
namespace {

EnsembleShape Shape(size_t members, size_t batch, size_t classes) {
  return EnsembleShape::Create(members, batch, classes).value();
}

std::vector<float> RandomLogits(size_t count, uint64_t seed) {
  base::Rng rng(seed);
  std::vector<float> logits(count);
  for (float& z : logits) z = static_cast<float>(3.0 * rng.Normal());
  return logits;
}

TEST(AnswerRowsTest, TwoMembers_GiveHandComputedAnswer) {
  const std::vector<float> logits = {std::log(3.0f), 0.0f, std::log(3.0f), std::log(9.0f)};
  const auto answers = AnswerRows(logits, Shape(2, 1, 2), 1.0);
  ASSERT_TRUE(answers.ok()) << answers.status();
  const Answer& answer = answers->front();
  EXPECT_NEAR(answer.mean_probs[0], 0.5, 1e-7);  // (3/4 + 1/4) / 2
  EXPECT_NEAR(answer.member_probs[0], 0.75, 1e-7);
  EXPECT_NEAR(answer.member_probs[3], 0.75, 1e-7);
  EXPECT_NEAR(answer.energy, -(std::log(4.0) + std::log(12.0)) / 2.0, 1e-6);
  EXPECT_NEAR(*ScoreOf(answer, Score::kTotalEntropy), std::log(2.0), 1e-7);
  EXPECT_NEAR(*ScoreOf(answer, Score::kOneMinusConfidence), 0.5, 1e-7);
  EXPECT_EQ(ScoreOf(answer, Score::kDisagreement), 1.0);
  EXPECT_EQ(ScoreOf(answer, Score::kVariationRatio), 0.5);
  EXPECT_EQ(ScoreOf(answer, Score::kMutualInformation), answer.split.epistemic_nats);
  EXPECT_EQ(ScoreOf(answer, Score::kAleatoricEntropy), answer.split.aleatoric_nats);
}

TEST(AnswerRowsTest, Temperature_DividesLogitsBeforeAveragingAndInEnergy) {
  const std::vector<float> logits = {0.0f, 2.0f, 0.0f, -6.0f};
  const std::vector<float> halved = {0.0f, 1.0f, 0.0f, -3.0f};
  const auto warm = AnswerRows(logits, Shape(2, 1, 2), 2.0);
  const auto plain = AnswerRows(halved, Shape(2, 1, 2), 1.0);
  ASSERT_TRUE(warm.ok() && plain.ok());
  EXPECT_EQ(warm->front().mean_probs, plain->front().mean_probs);
  EXPECT_DOUBLE_EQ(warm->front().energy, plain->front().energy);
}

TEST(AnswerRowsTest, RowAlone_EqualsRowInBatch) {
  const EnsembleShape shape = Shape(3, 6, 5);
  const std::vector<float> logits = RandomLogits(shape.size(), 5);
  const auto together = AnswerRows(logits, shape, 1.3);
  ASSERT_TRUE(together.ok());
  for (size_t b = 0; b < shape.batch(); ++b) {
    std::vector<float> alone;
    for (size_t m = 0; m < shape.members(); ++m) {
      const auto begin = logits.begin() + shape.RowOffset(m, b);
      alone.insert(alone.end(), begin, begin + shape.classes());
    }
    const auto answer = AnswerRows(alone, Shape(3, 1, 5), 1.3);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->front().mean_probs, (*together)[b].mean_probs);
    EXPECT_EQ(answer->front().member_probs, (*together)[b].member_probs);
    for (const Score score : kAllScores) {
      EXPECT_EQ(ScoreOf(answer->front(), score), ScoreOf((*together)[b], score));
    }
  }
}

TEST(AnswerRowsTest, OneMember_LeavesMemberComparisonsUnset) {
  const auto answers = AnswerRows(RandomLogits(8, 1), Shape(1, 2, 4), 1.0);
  ASSERT_TRUE(answers.ok());
  for (const Score score : kAllScores) {
    EXPECT_EQ(ScoreOf(answers->front(), score).has_value(), !ComparesMembers(score));
  }
}

// Uniform over C classes: (1 - 1/C) / (1/C) = C - 1.  Mean (0.75, 0.25): 0.375 / 0.625.
TEST(ScoreOfTest, Doctor_IsTheOddsOfAWrongDrawFromTheMean) {
  const auto uniform = AnswerRows(std::vector<float>(5, 1.0f), Shape(1, 1, 5), 1.0);
  ASSERT_TRUE(uniform.ok());
  EXPECT_NEAR(*ScoreOf(uniform->front(), Score::kDoctor), 4.0, 1e-5);
  const std::vector<float> logits = {100, 0, 0, 0};  // members: (1, 0) and (1/2, 1/2)
  const auto mixed = AnswerRows(logits, Shape(2, 1, 2), 1.0);
  ASSERT_TRUE(mixed.ok());
  EXPECT_NEAR(*ScoreOf(mixed->front(), Score::kDoctor), 0.6, 1e-6);
}

TEST(AnswerRowsTest, BadLogits_AreRefused) {
  std::vector<float> logits(4, 0.0f);
  EXPECT_FALSE(AnswerRows(logits, Shape(1, 1, 2), 1.0).ok());
  EXPECT_FALSE(AnswerRows(logits, Shape(2, 1, 2), -1.0).ok());
  logits[3] = INFINITY;
  EXPECT_FALSE(AnswerRows(logits, Shape(2, 1, 2), 1.0).ok());
}

TEST(ScoreRowsTest, Labels_DecideCorrectness) {
  const auto answers = AnswerRows(std::vector<float>{2, 0, 0, 2}, Shape(1, 2, 2), 1.0);
  ASSERT_TRUE(answers.ok());
  const auto rows = ScoreRows(*answers, std::vector<size_t>{0, 0}, Score::kOneMinusConfidence);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_TRUE((*rows)[0].correct);
  EXPECT_FALSE((*rows)[1].correct);
  EXPECT_DOUBLE_EQ((*rows)[0].score, 1.0 - answers->front().split.confidence);
}

TEST(ScoreRowsTest, BadLabelsOrUnsetScore_AreRefused) {
  const auto answers = AnswerRows(std::vector<float>{2, 0}, Shape(1, 1, 2), 1.0);
  ASSERT_TRUE(answers.ok());
  const std::vector<size_t> none, wrong = {2}, right = {0};
  EXPECT_EQ(ScoreRows(*answers, none, Score::kEnergy).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ScoreRows(*answers, wrong, Score::kEnergy).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ScoreRows(*answers, right, Score::kDisagreement).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace hydra::uncertainty
