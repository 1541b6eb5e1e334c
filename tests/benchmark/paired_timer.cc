#include "tests/benchmark/paired_timer.h"

#include <algorithm>
#include <ctime>

namespace hydra::benchmark {
namespace {

// Of all threads of this process: on a shared machine it says more than the wall clock does.
double ProcessCpuMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double Quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

}  // namespace

Spread SpreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {Quantile(values, 0.1), Quantile(values, 0.5), Quantile(values, 0.9)};
}

PairedTimes TimeInTurn(const std::vector<std::function<void()>>& bodies, size_t rounds) {
  for (const auto& body : bodies) body();
  std::vector<std::vector<double>> times(bodies.size()), ratios(bodies.size());
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < bodies.size(); ++i) {
      const size_t body = (i + round) % bodies.size();
      const double start = ProcessCpuMilliseconds();
      bodies[body]();
      times[body].push_back(ProcessCpuMilliseconds() - start);
    }
    for (size_t i = 0; i < bodies.size(); ++i)
      ratios[i].push_back(times[i].back() / times[0].back());
  }
  PairedTimes paired;
  for (size_t i = 0; i < bodies.size(); ++i) {
    paired.milliseconds.push_back(SpreadOf(times[i]));
    paired.ratios.push_back(SpreadOf(ratios[i]));
  }
  return paired;
}

}  // namespace hydra::benchmark
