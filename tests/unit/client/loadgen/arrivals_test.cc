#include "client/loadgen/arrivals.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hydra::loadgen {
namespace {

using ::testing::HasSubstr;

std::vector<double> Seconds(ArrivalOptions options, size_t calls) {
  ArrivalSchedule schedule = ArrivalSchedule::Create(options).value();
  std::vector<double> times;
  for (size_t i = 0; i < calls; ++i) times.push_back(absl::ToDoubleSeconds(schedule.Next()));
  return times;
}

TEST(ArrivalScheduleTest, Next_Constant_IsEvenlySpaced) {
  const auto times = Seconds({.kind = ArrivalKind::kConstant, .calls_per_second = 4}, 5);
  EXPECT_THAT(times, ::testing::ElementsAre(0.0, 0.25, 0.5, 0.75, 1.0));
}

TEST(ArrivalScheduleTest, Next_Burst_KeepsMeanRateAndSendsTogether) {
  const auto times =
      Seconds({.kind = ArrivalKind::kBurst, .calls_per_second = 6, .burst_size = 3}, 7);
  EXPECT_THAT(times, ::testing::ElementsAre(0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 1.0));
}

TEST(ArrivalScheduleTest, Next_Poisson_HasTheMeanAndVarianceOfExponentialGaps) {
  constexpr size_t kCalls = 20000;
  const auto times = Seconds({.calls_per_second = 50, .seed = 3}, kCalls);
  double sum = 0.0, squares = 0.0;
  for (size_t i = 1; i < kCalls; ++i) {
    const double gap = times[i] - times[i - 1];
    ASSERT_GE(gap, 0.0);
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / (kCalls - 1);
  const double variance = squares / (kCalls - 1) - mean * mean;
  EXPECT_NEAR(mean, 1.0 / 50, 0.0005);
  EXPECT_NEAR(std::sqrt(variance), 1.0 / 50, 0.001);  // an exponential's deviation is its mean
}

TEST(ArrivalScheduleTest, Next_SameSeed_Repeats) {
  EXPECT_EQ(Seconds({.seed = 5}, 10), Seconds({.seed = 5}, 10));
  EXPECT_NE(Seconds({.seed = 5}, 10), Seconds({.seed = 6}, 10));
}

TEST(ArrivalScheduleTest, Create_OptionOutOfRange_IsRefusedByName) {
  EXPECT_THAT(ArrivalSchedule::Create({.calls_per_second = 0}).status().message(),
              HasSubstr("rate: got 0"));
  EXPECT_FALSE(ArrivalSchedule::Create({.calls_per_second = std::nan("")}).ok());
  EXPECT_FALSE(ArrivalSchedule::Create({.calls_per_second = 2e6}).ok());
  EXPECT_THAT(ArrivalSchedule::Create({.burst_size = 0}).status().message(),
              HasSubstr("burst size: got 0"));
}

}  // namespace
}  // namespace hydra::loadgen
