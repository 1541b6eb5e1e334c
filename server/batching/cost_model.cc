#include "server/batching/cost_model.h"

#include <algorithm>

namespace hydra::batching {
namespace {

constexpr double kSpeedStep = 0.05;
constexpr double kLargestRatio = 10.0;

}  // namespace

CostModel::CostModel(absl::Span<const Sample> samples) {
  // Weights 1/t^2 make the error relative: small batches decide whether a deadline can be met.
  double w = 0.0, wn = 0.0, wnn = 0.0, wt = 0.0, wnt = 0.0;
  for (const Sample& sample : samples) {
    const double n = static_cast<double>(sample.units);
    const double t = absl::ToDoubleSeconds(sample.duration);
    if (n <= 0.0 || t <= 0.0) continue;
    const double weight = 1.0 / (t * t);
    w += weight;
    wn += weight * n;
    wnn += weight * n * n;
    wt += weight * t;
    wnt += weight * n * t;
  }
  if (w == 0.0) return;
  const double determinant = w * wnn - wn * wn;
  // One size only: no fixed part can be told apart.  The bound is relative to cancellation error.
  if (determinant <= 1e-9 * w * wnn) {
    per_unit_seconds_ = wnt / wnn;
    return;
  }
  per_unit_seconds_ = (w * wnt - wn * wt) / determinant;
  fixed_seconds_ = (wt - per_unit_seconds_ * wn) / w;
  if (fixed_seconds_ < 0.0) {
    fixed_seconds_ = 0.0;
    per_unit_seconds_ = wnt / wnn;
  } else if (per_unit_seconds_ < 0.0) {
    per_unit_seconds_ = 0.0;
    fixed_seconds_ = wt / w;
  }
}

void CostModel::Observe(Sample sample) {
  const double fitted = per_unit_seconds_ * static_cast<double>(sample.units) + fixed_seconds_;
  if (fitted <= 0.0) return;
  const double ratio = absl::ToDoubleSeconds(sample.duration) / fitted;
  speed_ += kSpeedStep * (std::clamp(ratio, 1.0 / kLargestRatio, kLargestRatio) - speed_);
}

absl::Duration CostModel::Estimate(size_t units) const {
  return absl::Seconds(speed_ * (per_unit_seconds_ * static_cast<double>(units) + fixed_seconds_));
}

}  // namespace hydra::batching
