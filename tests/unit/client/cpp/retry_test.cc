#include "client/cpp/retry.h"

#include <algorithm>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/base/status_detail.h"
#include "tests/fakes/fake_sleeper.h"

namespace hydra::client {
namespace {

using ::testing::HasSubstr;

constexpr absl::Duration kSecond = absl::Seconds(1);

absl::Status Exhausted(absl::Duration retry_delay) {
  return base::WithRetryDelay(absl::ResourceExhaustedError("queue full"), retry_delay);
}

class RetrierTest : public ::testing::Test {
 protected:
  // Runs with answers in this order, the last one repeated; returns the final status and records
  // when each attempt was made.
  absl::Status Run(std::vector<absl::Status> answers, absl::Duration timeout,
                   Idempotency idempotency = Idempotency::kIdempotent) {
    Retrier retrier(options_, clock_, sleeper_, 1);
    const absl::Time start = clock_.MonotonicNow();
    return retrier.Run(timeout, idempotency, [&](absl::Duration remaining) {
      remaining_.push_back(remaining);
      at_.push_back(clock_.MonotonicNow() - start);
      return answers[std::min(at_.size(), answers.size()) - 1];
    });
  }

  RetryOptions options_;
  fakes::FakeClock clock_;
  fakes::FakeSleeper sleeper_{clock_};
  std::vector<absl::Duration> at_;
  std::vector<absl::Duration> remaining_;
};

TEST_F(RetrierTest, Run_Unavailable_BacksOffExponentiallyWithJitter) {
  options_.max_attempts = 4;
  EXPECT_EQ(Run({absl::UnavailableError("down")}, 60 * kSecond).message(), "down");
  ASSERT_EQ(at_.size(), 4u);
  for (int i = 1; i < 4; ++i) {
    const absl::Duration backoff = options_.initial_backoff * (1 << (i - 1));
    EXPECT_GE(at_[i] - at_[i - 1], backoff / 2);
    EXPECT_LE(at_[i] - at_[i - 1], backoff);
  }
}

TEST_F(RetrierTest, Run_UnavailableThenOk_Succeeds) {
  EXPECT_TRUE(Run({absl::UnavailableError("down"), absl::OkStatus()}, 60 * kSecond).ok());
  EXPECT_EQ(at_.size(), 2u);
}

TEST_F(RetrierTest, Run_ExhaustedWithDelay_WaitsAtLeastThatLong) {
  EXPECT_TRUE(Run({Exhausted(3 * kSecond), absl::OkStatus()}, 60 * kSecond).ok());
  ASSERT_EQ(at_.size(), 2u);
  EXPECT_GE(at_[1], 3 * kSecond);
}

TEST_F(RetrierTest, Run_ExhaustedWithoutDelay_IsFinal) {
  const absl::Status status = Run({absl::ResourceExhaustedError("quota")}, 60 * kSecond);
  EXPECT_EQ(status.message(), "quota");
  EXPECT_EQ(at_.size(), 1u);
}

TEST_F(RetrierTest, Run_DelayBeyondDeadline_ReturnsAtOnce) {
  const absl::Status status = Run({Exhausted(3 * kSecond)}, 2 * kSecond);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(at_.size(), 1u);
}

TEST_F(RetrierTest, Run_EveryTry_GetsTheTimeThatIsLeft) {
  EXPECT_FALSE(Run({absl::UnavailableError("down")}, 10 * kSecond).ok());
  ASSERT_GE(at_.size(), 2u);
  for (size_t i = 0; i < at_.size(); ++i) EXPECT_EQ(remaining_[i], 10 * kSecond - at_[i]);
}

TEST_F(RetrierTest, Run_Once_NeverRepeats) {
  EXPECT_FALSE(Run({absl::UnavailableError("down")}, 60 * kSecond, Idempotency::kOnce).ok());
  EXPECT_EQ(at_.size(), 1u);
}

TEST_F(RetrierTest, Run_OtherCodes_AreFinal) {
  for (const absl::StatusCode code :
       {absl::StatusCode::kInvalidArgument, absl::StatusCode::kDeadlineExceeded,
        absl::StatusCode::kInternal, absl::StatusCode::kAborted, absl::StatusCode::kCancelled}) {
    at_.clear();
    EXPECT_EQ(Run({absl::Status(code, "no")}, 60 * kSecond).code(), code);
    EXPECT_EQ(at_.size(), 1u) << absl::StatusCodeToString(code);
  }
}

TEST_F(RetrierTest, Run_ManyTries_StayBelowTheLargestBackoff) {
  options_ = {.max_attempts = 40, .max_backoff = absl::Seconds(2)};
  EXPECT_FALSE(Run({absl::UnavailableError("down")}, absl::Hours(1)).ok());
  ASSERT_EQ(at_.size(), 40u);
  EXPECT_LE(at_[39] - at_[38], absl::Seconds(2));
  EXPECT_GE(at_[39] - at_[38], absl::Seconds(1));
}

TEST(RetryOptionsTest, Validate_OutOfRange_NamesTheOption) {
  EXPECT_TRUE(Validate(RetryOptions{}).ok());
  EXPECT_THAT(Validate(RetryOptions{.max_attempts = 0}).message(),
              HasSubstr("max_attempts: got 0"));
  EXPECT_THAT(Validate(RetryOptions{.max_backoff = absl::Milliseconds(1)}).message(),
              HasSubstr("initial_backoff"));
  EXPECT_THAT(Validate(RetryOptions{.multiplier = 0.5}).message(),
              HasSubstr("multiplier: got 0.5"));
}

}  // namespace
}  // namespace hydra::client
