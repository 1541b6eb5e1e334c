// How surprising few errors are: p-values of "the risk is above a level".
#pragma once

#include <cstddef>

namespace hydra::calibration {

// P(X <= errors) for X ~ Binomial(n, level): a p-value of "the error rate of these n i.i.d. rows is
// at least `level`".  1 without rows.  0 < level < 1, errors <= n.
double BinomialPValue(size_t errors, size_t n, double level);

// The same for n i.i.d. losses in [0, 1] with the sum `loss` (Bates et al. 2021, after Hoeffding
// 1963 and Bentkus 2004): min(1, exp(-n h(min(R, level), level)), e P(X <= ceil(n R))) with
// R = loss / n, X ~ Binomial(n, level) and h(a, b) = a ln(a / b) + (1 - a) ln((1 - a) / (1 - b)).
// 1 without rows.  0 < level < 1, 0 <= loss <= n.
double HoeffdingBentkusPValue(double loss, size_t n, double level);

}  // namespace hydra::calibration
