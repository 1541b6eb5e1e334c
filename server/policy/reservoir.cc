#include "server/policy/reservoir.h"

#include <utility>

#include "model/base/check.h"

namespace hydra::policy {

Reservoir::Reservoir(size_t capacity, uint64_t seed) : capacity_(capacity), rng_(seed) {
  HYDRA_CHECK(capacity > 0);
}

void Reservoir::Add(std::vector<LiveSample> samples) {
  const base::MutexLock lock(mutex_);
  for (LiveSample& sample : samples) {
    if (samples_.size() < capacity_) {
      samples_.push_back(std::move(sample));
    } else {
      samples_[rng_.UniformBelow(capacity_)] = std::move(sample);
    }
  }
}

std::vector<LiveSample> Reservoir::Samples() const {
  const base::MutexLock lock(mutex_);
  return samples_;
}

}  // namespace hydra::policy
