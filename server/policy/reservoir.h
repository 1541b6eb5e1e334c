// A bounded sample of recent answers, to say what another policy would do to live traffic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "model/base/mutex.h"
#include "model/base/rng.h"
#include "model/uncertainty/answer.h"

namespace hydra::policy {

// What the rules look at; no input and no probabilities.
struct LiveSample {
  uncertainty::Answer answer;     // split and energy only
  std::vector<size_t> set_sizes;  // of the conformal set, one per quantile of the bundle
};

// Biased reservoir (Aggarwal 2006, algorithm 2.1): every answer enters and, once full, takes the
// place of a random one, so that the chance to be present decays exponentially with age with mean
// age `capacity` answers.  Thread-safe.
class Reservoir {
 public:
  explicit Reservoir(size_t capacity, uint64_t seed);

  void Add(std::vector<LiveSample> samples);
  std::vector<LiveSample> Samples() const;

 private:
  const size_t capacity_;
  mutable base::Mutex mutex_;
  base::Rng rng_ ABSL_GUARDED_BY(mutex_);
  std::vector<LiveSample> samples_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hydra::policy
