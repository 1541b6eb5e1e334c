#include "server/config/lane_plan.h"

#include <fstream>

#include "gtest/gtest.h"
#include "tests/fakes/scratch_directory.h"

namespace hydra::config {
namespace {

TEST(ParseCpuMaxTest, Quota_IsWholeCpus) {
  EXPECT_EQ(ParseCpuMax("250000 100000\n"), 2u);
  EXPECT_EQ(ParseCpuMax("50000 100000"), 1u);
}

TEST(ParseCpuMaxTest, UnlimitedOrOdd_IsUnset) {
  for (const char* text : {"max 100000\n", "", "100000", "1 0", "a b", "1 2 3"}) {
    EXPECT_EQ(ParseCpuMax(text), std::nullopt) << text;
  }
}

TEST(UsableCpusTest, Cgroup_CapsTheMachine) {
  const fakes::ScratchDirectory scratch;
  const std::string path = scratch.Path("cpu.max");
  std::ofstream(path) << "100000 100000\n";
  EXPECT_EQ(UsableCpus(path), 1u);
  EXPECT_GE(UsableCpus("/nonexistent/cpu.max"), 1u);
}

TEST(PlanLanesTest, Defaults_FillTheMachine) {
  const auto plan = [](size_t count, size_t threads, size_t cpus) {
    const LanePlan made = PlanLanes({.count = count, .threads_per_lane = threads}, cpus);
    return std::make_pair(made.lanes, made.threads_per_lane);
  };
  EXPECT_EQ(plan(0, 0, 1), std::make_pair(size_t{1}, size_t{1}));
  EXPECT_EQ(plan(0, 0, 2), std::make_pair(size_t{1}, size_t{2}));
  EXPECT_EQ(plan(0, 0, 16), std::make_pair(size_t{4}, size_t{4}));
  EXPECT_EQ(plan(2, 0, 16), std::make_pair(size_t{2}, size_t{8}));
  EXPECT_EQ(plan(0, 1, 16), std::make_pair(size_t{16}, size_t{1}));
  EXPECT_EQ(plan(4, 0, 2), std::make_pair(size_t{4}, size_t{1}));
  EXPECT_EQ(plan(3, 5, 2), std::make_pair(size_t{3}, size_t{5}));
}

}  // namespace
}  // namespace hydra::config
