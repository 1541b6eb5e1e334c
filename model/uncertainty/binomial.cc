#include "model/uncertainty/binomial.h"

#include <math.h>

#include <cmath>
#include <limits>

#include "model/base/check.h"

namespace hydra::uncertainty {
namespace {

constexpr int kMostNewtonSteps = 200;  // bisection alone needs 60
constexpr double kRelativePrecision = 1e-14;

// std::lgamma writes the global `signgam`, which races between threads.
double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double AwayFromZero(double value) {
  constexpr double kTiny = 1e-300;
  return std::abs(value) < kTiny ? kTiny : value;
}

// 1 + d_1 / (1 + d_2 / (1 + ...)) with the coefficients of DLMF 8.17.23, by Lentz's method as
// modified by Thompson & Barnett (1986).  Converges in O(sqrt(max(a, b))) steps for x < (a + 1) /
// (a + b + 2).
double BetaFraction(double a, double b, double x) {
  constexpr int kMaxSteps = 100000;
  constexpr double kPrecision = 4.0 * std::numeric_limits<double>::epsilon();
  double fraction = 1.0;
  double numerator = 1.0;
  double denominator = 0.0;
  for (int step = 1; step < kMaxSteps; ++step) {
    const double m = step / 2;
    const double odd = a + 2.0 * m;
    const double coefficient = step % 2 == 0 ? m * (b - m) * x / ((odd - 1.0) * odd)
                                             : -(a + m) * (a + b + m) * x / (odd * (odd + 1.0));
    denominator = 1.0 / AwayFromZero(1.0 + coefficient * denominator);
    numerator = AwayFromZero(1.0 + coefficient / numerator);
    fraction *= numerator * denominator;
    if (std::abs(numerator * denominator - 1.0) < kPrecision) break;
  }
  return fraction;
}

double LogBeta(double a, double b) { return LogGamma(a) + LogGamma(b) - LogGamma(a + b); }

// x^a (1 - x)^b / (a B(a, b)) / fraction: DLMF 8.17.22.
double BetaByFraction(double a, double b, double x) {
  const double log_front = a * std::log(x) + b * std::log1p(-x) - LogBeta(a, b);
  return std::exp(log_front) / a / BetaFraction(a, b, x);
}

}  // namespace

double RegularisedIncompleteBeta(double a, double b, double x) {
  HYDRA_CHECK(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0);
  if (x == 0.0 || x == 1.0) return x;
  if (x < (a + 1.0) / (a + b + 2.0)) return BetaByFraction(a, b, x);
  return 1.0 - BetaByFraction(b, a, 1.0 - x);
}

double BinomialCdf(double k, double n, double p) {
  if (k >= n) return 1.0;
  return RegularisedIncompleteBeta(n - k, k + 1.0, 1.0 - p);
}

// Newton's method on ln P(X <= errors | p) - ln delta, which is concave in p, kept inside a bracket
// by bisection.
double BinomialUpperBound(double errors, double n, double delta) {
  HYDRA_CHECK(errors >= 0.0 && delta > 0.0 && delta < 1.0);
  if (errors >= n) return 1.0;
  if (errors == 0.0) return -std::expm1(std::log(delta) / n);
  const double log_beta = LogBeta(n - errors, errors + 1.0);
  double low = errors / n;
  double high = 1.0;
  double p = low + (1.0 - low) / std::sqrt(n + 1.0);
  for (int step = 0; step < kMostNewtonSteps; ++step) {
    const double cdf = BinomialCdf(errors, n, p);
    (cdf > delta ? low : high) = p;
    const double log_slope =
        (n - errors - 1.0) * std::log1p(-p) + errors * std::log(p) - log_beta;  // of -dP/dp
    double next = p + std::log(cdf / delta) * cdf / std::exp(log_slope);
    if (!(next > low && next < high)) next = low + (high - low) / 2.0;
    if (std::abs(next - p) <= kRelativePrecision * p) return next;
    p = next;
  }
  return high;
}

size_t RowsNeededWithoutErrors(double rate, double delta) {
  HYDRA_CHECK(rate > 0.0 && rate < 1.0 && delta > 0.0 && delta < 1.0);
  return static_cast<size_t>(std::ceil(std::log(delta) / std::log1p(-rate)));
}

}  // namespace hydra::uncertainty
