#include "model/importance/lapsum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::importance {
namespace {

using Values = std::vector<double>;

absl::Status CheckRequest(absl::Span<const double> scores, SoftTopKOptions options) {
  const bool finite =
      std::all_of(scores.begin(), scores.end(), [](double v) { return std::isfinite(v); });
  if (scores.size() < 2 || !finite) {
    return absl::InvalidArgumentError(
        absl::StrCat("soft top-k: got ", scores.size(), " scores, want at least 2 finite ones"));
  }
  if (!(options.count > 0.0 && options.count < static_cast<double>(scores.size()))) {
    return absl::InvalidArgumentError(absl::StrCat("soft top-k: count: got ", options.count,
                                                   ", want more than 0 and less than ",
                                                   scores.size()));
  }
  const auto fits = [&](double r) { return std::isfinite(r / options.temperature); };
  if (options.temperature > 0.0 && std::isfinite(options.temperature) &&
      std::all_of(scores.begin(), scores.end(), fits)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("soft top-k: temperature: got ", options.temperature,
                   ", want a positive number that scores can be divided by"));
}

double LaplaceCdf(double x) { return x <= 0.0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x); }

// sum over i <= j of e^(s_i - s_j): in [1, j + 1].
Values SumsBelow(const Values& s) {
  Values sums(s.size(), 1.0);
  for (size_t j = 1; j < s.size(); ++j) sums[j] = 1.0 + std::exp(s[j - 1] - s[j]) * sums[j - 1];
  return sums;
}

// sum over i >= j of e^(s_j - s_i).
Values SumsAbove(const Values& s) {
  Values sums(s.size(), 1.0);
  for (size_t j = s.size() - 1; j > 0; --j) sums[j - 1] = 1.0 + std::exp(s[j - 1] - s[j]) * sums[j];
  return sums;
}

// The y at which sum_i Lap(y - s_i) = `mass`, the s ascending: a quadratic in e^y between two
// neighbouring knots.
double SolveBarrier(const Values& s, double mass) {
  const Values below = SumsBelow(s), above = SumsAbove(s);
  const size_t n = s.size();
  size_t knots = 0;  // at which the sum, which rises, is still below `mass`
  for (size_t step = std::bit_floor(n); step > 0; step /= 2) {
    const size_t j = knots + step - 1;
    const bool inside = knots + step <= n;
    if (inside && static_cast<double>(j) + 0.5 + (above[j] - below[j]) / 2.0 < mass) knots += step;
  }
  if (knots == 0) return s[0] + std::log(2.0 * mass) - std::log(above[0]);
  if (knots == n) {
    return s[n - 1] - std::log(2.0 * (static_cast<double>(n) - mass)) + std::log(below[n - 1]);
  }
  // Solves up e^(y - s_above) - down e^(s_below - y) = 2 excess; where nothing is in excess by
  // logarithms, since e^root underflows between distant knots.
  const double excess = mass - static_cast<double>(knots);
  const double up = above[knots], down = below[knots - 1];
  const double half_gap = (s[knots] - s[knots - 1]) / 2.0;
  const double root = 0.5 * std::log(up * down) - half_gap;
  const double log_z =
      excess == 0.0 ? root : std::log(std::abs(excess) + std::hypot(excess, std::exp(root)));
  return excess > 0.0 ? s[knots] + log_z - std::log(up) : s[knots - 1] - log_z + std::log(down);
}

double Dot(absl::Span<const double> a, absl::Span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// q: a softmax of -|r - b|/tau, stable where all of d underflow.
Values BarrierShares(absl::Span<const double> scores, double barrier, double temperature) {
  Values shares;
  for (const double r : scores) shares.push_back(-std::abs(r - barrier) / temperature);
  const double largest = *std::max_element(shares.begin(), shares.end());
  for (double& share : shares) share = std::exp(share - largest);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

}  // namespace

absl::StatusOr<SoftTopK> ComputeSoftTopK(absl::Span<const double> scores, SoftTopKOptions options) {
  HYDRA_RETURN_IF_ERROR(CheckRequest(scores, options));
  Values sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end());
  for (double& value : sorted) value /= options.temperature;
  const double y = SolveBarrier(sorted, static_cast<double>(scores.size()) - options.count);
  SoftTopK result{.weights = {}, .barrier = options.temperature * y};
  for (const double r : scores) result.weights.push_back(LaplaceCdf(r / options.temperature - y));
  return result;
}

absl::StatusOr<SoftTopKGradient> PullBackSoftTopK(absl::Span<const double> scores,
                                                  const SoftTopK& forward, SoftTopKOptions options,
                                                  absl::Span<const double> upstream) {
  HYDRA_RETURN_IF_ERROR(CheckRequest(scores, options));
  if (forward.weights.size() != scores.size() || upstream.size() != scores.size()) {
    return absl::InvalidArgumentError(absl::StrCat("soft top-k: got ", forward.weights.size(),
                                                   " weights and ", upstream.size(),
                                                   " gradients, want ", scores.size(), " of each"));
  }
  const double tau = options.temperature;
  const Values q = BarrierShares(scores, forward.barrier, tau);
  const double mean_upstream = Dot(q, upstream), mean_score = Dot(q, scores);
  SoftTopKGradient gradient{.scores = {}, .count = mean_upstream, .temperature = 0.0};
  for (size_t i = 0; i < scores.size(); ++i) {
    const double d = std::exp(-std::abs(scores[i] - forward.barrier) / tau) / (2.0 * tau);
    gradient.scores.push_back(d * (upstream[i] - mean_upstream));
    gradient.temperature -= d * upstream[i] * (scores[i] - mean_score) / tau;
  }
  return gradient;
}

}  // namespace hydra::importance
