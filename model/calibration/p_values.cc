#include "model/calibration/p_values.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/base/check.h"
#include "model/uncertainty/binomial.h"

namespace hydra::calibration {
namespace {

// A sum of losses that is a whole number in decimals may come out a rounding error above it.
constexpr double kRounding = 1e-9;

// x ln(x / y), continued to 0 at x = 0.
double Term(double x, double y) { return x > 0.0 ? x * std::log(x / y) : 0.0; }

}  // namespace

double BinomialPValue(size_t errors, size_t n, double level) {
  HYDRA_CHECK(level > 0.0 && level < 1.0 && errors <= n);
  return uncertainty::BinomialCdf(static_cast<double>(errors), static_cast<double>(n), level);
}

double HoeffdingBentkusPValue(double loss, size_t n, double level) {
  const double rows = static_cast<double>(n);
  HYDRA_CHECK(level > 0.0 && level < 1.0 && loss >= 0.0 && loss <= rows);
  if (n == 0) return 1.0;
  const double risk = std::min(loss / rows, level);
  const double hoeffding = std::exp(-rows * (Term(risk, level) + Term(1.0 - risk, 1.0 - level)));
  const double bentkus =
      std::numbers::e * uncertainty::BinomialCdf(std::ceil(loss - kRounding), rows, level);
  return std::min({1.0, hoeffding, bentkus});
}

}  // namespace hydra::calibration
