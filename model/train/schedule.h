// The learning rate over a run.  Torch-free.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace hydra::train {

enum class Decay {
  kCosine,  // half a cosine down to 0 (Loshchilov & Hutter 2017, one cycle)
  kLinear,
};

struct Schedule {
  double peak = 1e-3;
  size_t warmup_steps = 0;
  size_t steps = 1;  // of the whole run
  Decay decay = Decay::kCosine;
};

// Linear from 0 over the warm-up, then down to 0.  `step` counts from 0.
inline double LearningRate(const Schedule& schedule, size_t step) {
  if (step < schedule.warmup_steps) {
    return schedule.peak * static_cast<double>(step + 1) /
           static_cast<double>(schedule.warmup_steps);
  }
  const double span = static_cast<double>(
      std::max<size_t>(1, schedule.steps - std::min(schedule.steps, schedule.warmup_steps)));
  const double progress = std::min(1.0, static_cast<double>(step - schedule.warmup_steps) / span);
  if (schedule.decay == Decay::kLinear) return schedule.peak * (1.0 - progress);
  return schedule.peak * 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
}

}  // namespace hydra::train
