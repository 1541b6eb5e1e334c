// Times several bodies in turn, so that a busy machine disturbs them alike.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace hydra::benchmark {

struct Spread {
  double low = 0.0;  // 10th percentile
  double median = 0.0;
  double high = 0.0;  // 90th percentile
};

Spread SpreadOf(std::vector<double> values);

struct PairedTimes {
  std::vector<Spread> milliseconds;  // CPU time of the calling process, per body
  std::vector<Spread> ratios;        // of each body to body 0, round by round
};

// Runs every body once unmeasured, then `rounds` rounds of all bodies in rotating order.
PairedTimes TimeInTurn(const std::vector<std::function<void()>>& bodies, size_t rounds);

}  // namespace hydra::benchmark
