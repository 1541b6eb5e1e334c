// The load generator against a real gRPC server, on a clock that moves only by waiting.
#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <string>
#include <vector>

#include "client/loadgen/runner.h"
#include "gtest/gtest.h"
#include "tests/fakes/fake_sleeper.h"
#include "tests/integration/client/scripted_server.h"

namespace hydra::loadgen {
namespace {

using integration::ScriptedServer;

std::vector<v1::PredictRequest> Requests(int rows) {
  std::vector<v1::PredictRequest> requests(2);
  for (v1::PredictRequest& request : requests) {
    for (int i = 0; i < rows; ++i) request.add_instances()->set_image("x");
  }
  return requests;
}

// Abstains from the first row of every request.
grpc::Status Answer(const v1::PredictRequest& request, v1::PredictResponse& response) {
  for (int i = 0; i < request.instances_size(); ++i) {
    response.add_predictions()->mutable_decision()->set_outcome(
        i == 0 ? v1::DECISION_OUTCOME_ABSTAINED : v1::DECISION_OUTCOME_PREDICTED);
  }
  return grpc::Status::OK;
}

class LoadgenWireTest : public ::testing::Test {
 protected:
  absl::StatusOr<LoadSummary> Run(const Load& load, const ScriptedServer& server, int rows = 1) {
    return RunLoad(load, {.endpoint = server.endpoint()}, Requests(rows), {clock_, sleeper_});
  }

  std::atomic<size_t> calls_ = 0;
  fakes::FakeClock clock_;
  fakes::FakeSleeper sleeper_{clock_};
};

TEST_F(LoadgenWireTest, RunLoad_Closed_StopsAtTheBoundAndCountsEveryRow) {
  ScriptedServer server([&](auto&, const auto& request, auto& response) {
    ++calls_;
    return Answer(request, response);
  });
  const auto summary = Run({.concurrency = 3,
                            .warm_up = absl::ZeroDuration(),
                            .max_calls = 50,
                            .deadline = absl::Minutes(1)},
                           server, 4);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(calls_, 51u);  // one goes ahead of the load
  EXPECT_EQ(summary->calls, 50u);
  EXPECT_EQ(summary->answered.calls, 50u);
  EXPECT_EQ(summary->codes.at(absl::StatusCode::kOk), 50u);
  EXPECT_DOUBLE_EQ(*summary->abstained_share, 0.25);
}

TEST_F(LoadgenWireTest, RunLoad_Open_SendsWhatTheScheduleSays) {
  ScriptedServer server([&](auto&, const auto& request, auto& response) {
    ++calls_;
    return Answer(request, response);
  });
  const auto summary = Run({.kind = LoadKind::kOpen,
                            .arrivals = {.kind = ArrivalKind::kConstant, .calls_per_second = 20},
                            .warm_up = absl::Seconds(1),
                            .duration = absl::Seconds(3),
                            .deadline = absl::Minutes(1)},
                           server);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(calls_, 1u + 20u + 60u);
  EXPECT_EQ(summary->calls, 60u);
  EXPECT_EQ(summary->not_sent, 0u);
}

TEST_F(LoadgenWireTest, RunLoad_OpenWithStuckServer_KeepsTheScheduleAndBoundsTheCalls) {
  std::latch stuck(1);
  ScriptedServer server([&](auto&, const auto& request, auto& response) {
    if (++calls_ > 1) stuck.wait();  // all but the call that goes ahead
    return Answer(request, response);
  });
  // The schedule's last wait comes after ten calls were due: only a sender that does not wait for
  // answers gets there.
  class ReleasingSleeper final : public client::Sleeper {
   public:
    ReleasingSleeper(fakes::FakeClock& clock, std::latch& latch) : inner_(clock), latch_(latch) {}
    void Wait(absl::Duration duration) override {
      inner_.Wait(duration);
      if (++waits_ == 11) latch_.count_down();
    }

   private:
    fakes::FakeSleeper inner_;
    std::latch& latch_;
    int waits_ = 0;
  };
  ReleasingSleeper sleeper(clock_, stuck);
  const Load load = {.kind = LoadKind::kOpen,
                     .arrivals = {.kind = ArrivalKind::kConstant, .calls_per_second = 10},
                     .max_in_flight = 4,
                     .warm_up = absl::ZeroDuration(),
                     .duration = absl::Seconds(10),
                     .max_calls = 11,
                     .deadline = absl::Minutes(1)};
  const auto summary =
      RunLoad(load, {.endpoint = server.endpoint()}, Requests(1), {clock_, sleeper});
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_GE(summary->not_sent, 6u);
  EXPECT_EQ(summary->calls + summary->not_sent, 11u);
  EXPECT_GE(summary->answered.max, absl::Milliseconds(900));  // the first one waited for the tenth
}

TEST_F(LoadgenWireTest, RunLoad_Refusals_AreCountedApart) {
  ScriptedServer server([&](auto&, const auto& request, auto& response) {
    if (++calls_ % 2 == 0) return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "full");
    return Answer(request, response);
  });
  const auto summary = Run({.concurrency = 1,
                            .warm_up = absl::ZeroDuration(),
                            .max_calls = 10,
                            .deadline = absl::Minutes(1)},
                           server);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->codes.at(absl::StatusCode::kResourceExhausted), 5u);
  EXPECT_EQ(summary->refused.calls, 5u);
  EXPECT_EQ(summary->answered.calls, 5u);
}

TEST_F(LoadgenWireTest, RunLoad_InputIsRefusedForGood_SendsNothingMore) {
  ScriptedServer server([&](auto&, const auto&, auto&) {
    ++calls_;
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "not an image");
  });
  EXPECT_EQ(Run({}, server).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(calls_, 1u);
}

TEST_F(LoadgenWireTest, RunLoad_LoadOutOfRange_IsRefusedByName) {
  ScriptedServer server([](auto&, const auto&, auto&) { return grpc::Status::OK; });
  EXPECT_EQ(Run({.concurrency = 0}, server).status().message(),
            "concurrency: got 0, want 1..10000");
  EXPECT_EQ(Run({.duration = absl::Hours(2)}, server).status().message(),
            "duration: got 2h, want 1ms to 1h");
  EXPECT_EQ(Run({.max_calls = 6'000'000}, server).status().message(),
            "max calls: got 6000000, want 1..5000000");
}

}  // namespace
}  // namespace hydra::loadgen
