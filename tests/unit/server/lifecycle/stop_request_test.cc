#include "server/lifecycle/stop_request.h"

#include <thread>

#include "gtest/gtest.h"
#include "server/lifecycle/readiness.h"

namespace hydra::lifecycle {
namespace {

TEST(StopRequestTest, Raise_CountsAndEndsWaits) {
  StopRequest stop;
  EXPECT_FALSE(stop.raised());
  std::jthread waiting([&] { stop.Wait(); });
  EXPECT_EQ(stop.Raise(), 1u);
  waiting.join();
  EXPECT_TRUE(stop.raised());
  EXPECT_FALSE(stop.hurried());
  EXPECT_EQ(stop.Raise(), 2u);
  EXPECT_TRUE(stop.hurried());
}

TEST(StopRequestTest, SecondRequest_CutsTheDelayShort) {
  const base::RealClock clock;
  StopRequest stop;
  stop.Raise();
  const absl::Time start = clock.MonotonicNow();
  std::jthread hurry([&] { stop.Raise(); });
  stop.WaitUnlessHurried(absl::Minutes(5), clock);
  EXPECT_LT(clock.MonotonicNow() - start, absl::Minutes(1));
}

TEST(StopRequestTest, Delay_EndsByItself) {
  const base::RealClock clock;
  StopRequest stop;
  const absl::Time start = clock.MonotonicNow();
  stop.WaitUnlessHurried(absl::Milliseconds(5), clock);
  EXPECT_GE(clock.MonotonicNow() - start, absl::Milliseconds(5));
}

TEST(StopRequestTest, WaitForHurry_TellsHurryFromFinish) {
  StopRequest finished;
  finished.Raise();
  finished.Finish();
  EXPECT_FALSE(finished.WaitForHurry());
  StopRequest hurried;
  hurried.Raise();
  hurried.Raise();
  EXPECT_TRUE(hurried.WaitForHurry());
}

TEST(ReadinessTest, StartsNotReadyAndTellsWhy) {
  Readiness readiness;
  EXPECT_EQ(readiness.Get().message(), "starting");
  readiness.SetReady();
  EXPECT_TRUE(readiness.Get().ok());
  readiness.SetNotReady("draining");
  EXPECT_EQ(readiness.Get(), absl::UnavailableError("draining"));
}

}  // namespace
}  // namespace hydra::lifecycle
