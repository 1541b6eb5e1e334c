// How the soft choice of heads hardens over a run (SAPER, arXiv 2608.00264, App. E).  Torch-free.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace hydra::saper {

enum class AnnealShape {
  kCosine,     // end + (start - end) (1 + cos(pi u)) / 2
  kGeometric,  // start (end / start)^u
  kLinear,
};

// |alpha|, the temperature of the soft top-k.
struct Annealing {
  double start = 1.0;
  double end = 0.01;
  AnnealShape shape = AnnealShape::kGeometric;
  double from = 0.1;  // share of the steps at which it starts to fall
  double to = 0.9;    // and at which it has fallen
};

inline double Temperature(const Annealing& annealing, size_t step, size_t steps) {
  const auto total = static_cast<double>(steps);
  const double first = std::round(annealing.from * total), last = std::round(annealing.to * total);
  const double progress =
      std::clamp((static_cast<double>(step) - first) / std::max(1.0, last - first), 0.0, 1.0);
  const double span = annealing.start - annealing.end;
  if (annealing.shape == AnnealShape::kLinear) return annealing.start - span * progress;
  if (annealing.shape == AnnealShape::kGeometric)
    return annealing.start * std::pow(annealing.end / annealing.start, progress);
  return annealing.end + span * (1.0 + std::cos(std::numbers::pi * progress)) / 2.0;
}

// The number of heads that the weights add up to: from all of them down to the budget over the
// first `warmup_steps`, linearly.
struct BudgetWarmup {
  size_t heads = 0;
  size_t budget = 0;
  size_t warmup_steps = 0;
};

inline double CountAt(const BudgetWarmup& warmup, size_t step) {
  const auto all = static_cast<double>(warmup.heads), wanted = static_cast<double>(warmup.budget);
  if (step >= warmup.warmup_steps) return wanted;
  return all +
         (wanted - all) * static_cast<double>(step) / static_cast<double>(warmup.warmup_steps);
}

}  // namespace hydra::saper
