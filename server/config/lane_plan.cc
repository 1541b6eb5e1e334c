#include "server/config/lane_plan.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace hydra::config {
namespace {

constexpr size_t kMostThreadsPerLane = 4;

size_t SchedulableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

std::optional<size_t> ParseCpuMax(absl::string_view text) {
  const std::vector<std::string> parts =
      absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  uint64_t quota = 0;
  uint64_t period = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &quota) ||
      !absl::SimpleAtoi(parts[1], &period) || period == 0) {
    return std::nullopt;
  }
  return std::max<uint64_t>(1, quota / period);
}

size_t UsableCpus(const std::string& cpu_max_path) {
  // Not base::ReadFile: files of the kernel have size 0.
  std::ifstream file(cpu_max_path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return std::min(SchedulableCpus(), ParseCpuMax(text).value_or(SIZE_MAX));
}

LanePlan PlanLanes(const LanesConfig& lanes, size_t cpus) {
  LanePlan plan{.lanes = lanes.count, .threads_per_lane = lanes.threads_per_lane};
  if (plan.threads_per_lane == 0) {
    const size_t share = plan.lanes == 0 ? kMostThreadsPerLane : cpus / plan.lanes;
    plan.threads_per_lane = std::clamp<size_t>(share, 1, std::max<size_t>(1, cpus));
  }
  if (plan.lanes == 0) plan.lanes = std::max<size_t>(1, cpus / plan.threads_per_lane);
  return plan;
}

}  // namespace hydra::config
