// How many lanes with how many threads this machine (or container) carries.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "server/config/server_config.h"

namespace hydra::config {

// Contents of cgroup v2's cpu.max, "QUOTA PERIOD" or "max PERIOD": whole CPUs, rounded down, at
// least 1; unset when unlimited or not in that form.
std::optional<size_t> ParseCpuMax(absl::string_view text);

// CPUs that this process may use: those it may be scheduled on, capped by the cgroup's cpu.max.
// LibTorch would start a thread per CPU of the machine and spend a container's quota at once.
size_t UsableCpus(const std::string& cpu_max_path = "/sys/fs/cgroup/cpu.max");

struct LanePlan {
  size_t lanes = 1;
  size_t threads_per_lane = 1;
};

// Fills in what `lanes` leaves at 0, so that lanes * threads stays within `cpus` where possible.
// One lane takes up to four threads: each lane has a copy of the weights of its own.
LanePlan PlanLanes(const LanesConfig& lanes, size_t cpus);

}  // namespace hydra::config
