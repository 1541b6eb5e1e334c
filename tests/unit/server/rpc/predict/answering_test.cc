#include "server/rpc/predict/answering.h"

#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_bundle.h"

namespace hydra::rpc {
namespace {

policy::Snapshot SnapshotWith(policy::Rules rules, size_t members = 2) {
  return {.bundle = std::make_shared<const policy::ServedBundle>(fakes::FakeServedBundle(members)),
          .policy = {.rules = std::move(rules), .revision = 5}};
}

// Two members, two rows, three classes: agreement on class 1, then disagreement.
batching::JobResult TwoRows() {
  return {.member_logits = {0, 9, 0, /**/ 9, 0, 0, /**/ 0, 9, 0, /**/ 0, 0, 9}};
}

TEST(AnswerJobTest, Rows_AreDecidedEachByItself) {
  const auto rows = AnswerJob(
      TwoRows(), {0, 3}, SnapshotWith({.scores = {{uncertainty::Score::kMutualInformation, 0.3}}}));
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].answer.split.predicted_class, 1u);
  EXPECT_EQ((*rows)[0].decision.outcome, uncertainty::Outcome::kPredicted);
  EXPECT_EQ((*rows)[1].decision.outcome, uncertainty::Outcome::kAbstained);
  EXPECT_EQ((*rows)[1].decision.reason, uncertainty::AbstentionReason::kMembersDisagree);
  EXPECT_EQ((*rows)[0].truncated_tokens, 0u);
  EXPECT_EQ((*rows)[1].truncated_tokens, 3u);
}

TEST(AnswerJobTest, ConformalSets_FollowTheQuantile) {
  const auto rows = AnswerJob(TwoRows(), {0, 0}, SnapshotWith({}));
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ((*rows)[0].conformal_sets.size(), 1u);
  EXPECT_EQ((*rows)[0].conformal_sets[0], std::vector<size_t>{1});
  EXPECT_EQ((*rows)[1].conformal_sets[0], (std::vector<size_t>{0, 2}));
  EXPECT_EQ(SampleOf((*rows)[1]).set_sizes, std::vector<size_t>{2});
}

TEST(AnswerJobTest, LogitsThatDoNotFit_AreTheServersFault) {
  const auto rows = AnswerJob(TwoRows(), {0, 0, 0}, SnapshotWith({}));
  EXPECT_EQ(rows.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(base::ReasonOf(rows.status()), "ANSWERING_FAILED");
}

TEST(SampleOfTest, Sample_HoldsScoresAndNoProbabilities) {
  const auto rows = AnswerJob(TwoRows(), {0, 0}, SnapshotWith({}));
  const policy::LiveSample sample = SampleOf((*rows)[0]);
  EXPECT_EQ(sample.answer.split.confidence, (*rows)[0].answer.split.confidence);
  EXPECT_EQ(sample.answer.energy, (*rows)[0].answer.energy);
  EXPECT_TRUE(sample.answer.mean_probs.empty());
  EXPECT_TRUE(sample.answer.member_probs.empty());
}

}  // namespace
}  // namespace hydra::rpc
