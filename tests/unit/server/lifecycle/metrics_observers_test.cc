#include "server/lifecycle/metrics_observers.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_clock.h"

namespace hydra::lifecycle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MetricsObserversTest : public ::testing::Test {
 protected:
  std::string Scrape() { return metrics_.Scrape({}); }

  fakes::FakeClock clock_;
  std::vector<std::string> lines_;
  observability::Logger logger_{
      {}, clock_, [this](config::LogLevel, const std::string& line) { lines_.push_back(line); }};
  observability::Metrics metrics_{"1"};
  BatchMetrics batches_{metrics_, logger_};
  CallMetrics calls_{metrics_, logger_};
};

TEST_F(MetricsObserversTest, Batch_IsCountedAndAFailureIsLogged) {
  batches_.OnBatch({.jobs = 2,
                    .rows = 3,
                    .padded_rows = 4,
                    .tokens = 9,
                    .reason = batching::DispatchReason::kDelay,
                    .queue_waits = {absl::Milliseconds(1), absl::Milliseconds(1)}});
  EXPECT_TRUE(lines_.empty());
  batches_.OnBatch({.jobs = 1, .rows = 1, .padded_rows = 1, .status = absl::InternalError("boom")});
  EXPECT_THAT(Scrape(), HasSubstr("hydra_batches_total{code=\"OK\",dispatch_reason=\"delay\"} 1"));
  EXPECT_THAT(Scrape(), HasSubstr("code=\"INTERNAL\""));
  EXPECT_THAT(Scrape(), HasSubstr("hydra_tokens_total 9"));
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_THAT(lines_[0], HasSubstr("error batch_failed code=INTERNAL message=boom"));
}

TEST_F(MetricsObserversTest, Drop_IsCountedByStageAndReason) {
  batches_.OnDropped(batching::Stage::kFormation,
                     base::WithReason(absl::CancelledError("x"), "CANCELLED"));
  EXPECT_THAT(Scrape(),
              HasSubstr("hydra_jobs_dropped_total{reason=\"CANCELLED\",stage=\"formation\"} 1"));
}

TEST_F(MetricsObserversTest, Call_IsCountedAndLoggedByItsCode) {
  calls_.OnCall({.method = "m",
                 .status = absl::OkStatus(),
                 .request_id = "r1",
                 .decode = absl::Milliseconds(1)});
  EXPECT_TRUE(lines_.empty());
  calls_.OnCall({.method = "m",
                 .status = base::WithReason(absl::InternalError("x"), "NON_FINITE_OUTPUT"),
                 .request_id = "r2"});
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_THAT(lines_[0], HasSubstr("error call method=m request_id=r2 code=INTERNAL"));
  EXPECT_THAT(Scrape(), HasSubstr("hydra_requests_total{code=\"OK\",method=\"m\"} 1"));
  EXPECT_THAT(Scrape(), HasSubstr("{method=\"m\",reason=\"NON_FINITE_OUTPUT\"} 1"));
  EXPECT_THAT(Scrape(), HasSubstr("hydra_decode_duration_seconds_count 1"));
}

TEST_F(MetricsObserversTest, Answer_CountsItsDecisionAndItsScores) {
  metrics_.SetBundle({.score_edges = {{"energy", {0.0}}, {"disagreement", {0.5}}}});
  const uncertainty::Answer answer{.energy = -3.0};  // one member: no disagreement
  uncertainty::Decision decision{.outcome = uncertainty::Outcome::kAbstained,
                                 .reason = uncertainty::AbstentionReason::kUnfamiliarInput};
  const policy::Policy policy;
  calls_.OnAnswer({answer, decision, policy});
  calls_.OnAnswer({answer, {}, policy, 5});
  EXPECT_THAT(Scrape(), HasSubstr("hydra_truncated_texts_total 1"));
  EXPECT_THAT(Scrape(), HasSubstr("hydra_truncated_tokens_total 5"));
  EXPECT_THAT(Scrape(), HasSubstr("{outcome=\"abstained\",reason=\"UNFAMILIAR_INPUT\"} 1"));
  EXPECT_THAT(Scrape(), HasSubstr("{outcome=\"predicted\",reason=\"NONE\"} 1"));
  EXPECT_THAT(Scrape(), HasSubstr("hydra_score_count{score=\"energy\"} 2"));
  EXPECT_THAT(Scrape(), HasSubstr("hydra_score_count{score=\"disagreement\"} 0"));
}

TEST_F(MetricsObserversTest, PolicyChange_SetsRevisionAndState) {
  calls_.OnPolicyChange({.certificate = {.state = policy::CertificateState::kValid},
                         .revision = 7,
                         .updated_by = "alice"});
  EXPECT_THAT(Scrape(), HasSubstr("hydra_policy_revision 7"));
  EXPECT_THAT(Scrape(), HasSubstr("hydra_certificate_state{state=\"VALID\"} 1"));
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_THAT(lines_[0], HasSubstr("policy revision=7 certificate=VALID updated_by=alice"));
}

}  // namespace
}  // namespace hydra::lifecycle
