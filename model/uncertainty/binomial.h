// Exact tails and confidence bounds of the binomial distribution.
#pragma once

#include <cstddef>

namespace hydra::uncertainty {

// I_x(a, b), the regularised incomplete beta function, for a, b > 0 and x in [0, 1], by the
// continued fraction DLMF 8.17.22 on the side where it converges fast.
double RegularisedIncompleteBeta(double a, double b, double x);

// P(X <= k) for X ~ Binomial(n, p): I_{1-p}(n - k, k + 1) (DLMF 8.17.5), 1 for k >= n.  `k` and `n`
// may be fractional, which interpolates.
double BinomialCdf(double k, double n, double p);

// The one-sided Clopper-Pearson upper bound: the p with P(X <= errors | n, p) = delta, so that
// P(true rate > bound) <= delta.  1 if errors >= n (also for n = 0).  0 < delta < 1.
double BinomialUpperBound(double errors, double n, double delta);

// The fewest rows without any error whose upper bound is at most `rate`: ceil(ln delta / ln(1 -
// rate)), 149 for 2 % at delta 0.05.  0 < rate < 1, 0 < delta < 1.
size_t RowsNeededWithoutErrors(double rate, double delta);

}  // namespace hydra::uncertainty
