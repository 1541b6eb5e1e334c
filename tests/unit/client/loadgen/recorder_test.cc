#include "client/loadgen/recorder.h"

#include <vector>

#include "gtest/gtest.h"

namespace hydra::loadgen {
namespace {

constexpr absl::Duration kMs = absl::Milliseconds(1);

absl::Time At(int ms) { return absl::UnixEpoch() + ms * kMs; }

TEST(SummarizeLatenciesTest, HundredCalls_NearestRank) {
  std::vector<absl::Duration> latencies;
  for (int i = 100; i >= 1; --i) latencies.push_back(i * kMs);
  const LatencySummary summary = SummarizeLatencies(latencies);
  EXPECT_EQ(summary.calls, 100u);
  EXPECT_EQ(summary.p50, 50 * kMs);
  EXPECT_EQ(summary.p90, 90 * kMs);
  EXPECT_EQ(summary.p99, 99 * kMs);
  EXPECT_EQ(summary.p999, 100 * kMs);
  EXPECT_EQ(summary.max, 100 * kMs);
}

TEST(SummarizeLatenciesTest, NoCall_IsZero) {
  EXPECT_EQ(SummarizeLatencies({}).calls, 0u);
  EXPECT_EQ(SummarizeLatencies({}).max, absl::ZeroDuration());
}

TEST(RecorderTest, Summarize_LateSend_CountsLatencyFromTheScheduledTime) {
  Recorder recorder(At(0), 100 * kMs);
  recorder.Add({.scheduled = At(10), .sent = At(60), .finished = At(70), .rows = 1});
  const LoadSummary summary = recorder.Summarize();
  EXPECT_EQ(summary.answered.max, 60 * kMs);
  EXPECT_EQ(summary.lag.max, 50 * kMs);
}

TEST(RecorderTest, Summarize_WarmUpCalls_AreLeftOut) {
  Recorder recorder(At(100), 100 * kMs);
  recorder.Add({.scheduled = At(99), .sent = At(99), .finished = At(500), .rows = 1});
  recorder.AddNotSent(At(99));
  recorder.AddNotSent(At(100));
  EXPECT_EQ(recorder.Summarize().calls, 0u);
  EXPECT_EQ(recorder.Summarize().not_sent, 1u);
}

TEST(RecorderTest, Summarize_MixedCodes_SplitsGoodputFromThroughput) {
  Recorder recorder(At(0), 100 * kMs);
  recorder.Add({At(0), At(0), At(20), absl::StatusCode::kOk, 4, 4, 1});
  recorder.Add({At(0), At(0), At(40), absl::StatusCode::kOk, 4, 3, 2});
  recorder.Add({At(10), At(15), At(18), absl::StatusCode::kResourceExhausted, 4, 0, 0});
  recorder.Add({At(10), At(15), At(500), absl::StatusCode::kDeadlineExceeded, 4, 0, 0});
  const LoadSummary summary = recorder.Summarize();
  EXPECT_EQ(summary.wall, 500 * kMs);
  EXPECT_DOUBLE_EQ(summary.calls_per_second, 8.0);
  EXPECT_DOUBLE_EQ(summary.good_calls_per_second, 4.0);
  EXPECT_DOUBLE_EQ(summary.good_rows_per_second, 16.0);
  EXPECT_EQ(summary.codes.at(absl::StatusCode::kDeadlineExceeded), 1u);
  EXPECT_EQ(summary.refused.max, 3 * kMs);
  EXPECT_EQ(summary.answered.calls, 2u);
  ASSERT_TRUE(summary.abstained_share.has_value());
  EXPECT_DOUBLE_EQ(*summary.abstained_share, 3.0 / 7.0);
}

TEST(RecorderTest, Summarize_OkAfterTheDeadlineOfItsSchedule_IsNoGoodput) {
  Recorder recorder(At(0), 100 * kMs);
  recorder.Add({At(0), At(150), At(200), absl::StatusCode::kOk, 1, 1, 0});
  recorder.Add({At(100), At(100), At(200), absl::StatusCode::kOk, 1, 1, 0});
  EXPECT_DOUBLE_EQ(recorder.Summarize().calls_per_second, 10.0);
  EXPECT_DOUBLE_EQ(recorder.Summarize().good_calls_per_second, 5.0);
}

TEST(RecorderTest, Summarize_NothingAnswered_LeavesAbstainedShareUnset) {
  Recorder recorder(At(0), 100 * kMs);
  recorder.Add({At(0), At(0), At(5), absl::StatusCode::kUnavailable, 1, 0, 0});
  EXPECT_FALSE(recorder.Summarize().abstained_share.has_value());
}

}  // namespace
}  // namespace hydra::loadgen
