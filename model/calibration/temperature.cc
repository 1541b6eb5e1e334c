#include "model/calibration/temperature.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/uncertainty/softmax.h"

namespace hydra::calibration {
namespace {

using uncertainty::EnsembleShape;

constexpr size_t kGridPoints = 41;  // T grows by a factor of 1.16 between neighbours

absl::Status CheckInput(absl::Span<const float> logits, EnsembleShape shape,
                        absl::Span<const size_t> labels) {
  if (logits.size() != shape.size() || labels.size() != shape.batch() || labels.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("got ", logits.size(), " logits and ",
                                                   labels.size(), " labels, want ", shape.size(),
                                                   " and ", shape.batch(), ", at least one row"));
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= shape.classes()) {
      return absl::InvalidArgumentError(
          absl::StrCat("labels[", i, "]: got ", labels[i], ", want below ", shape.classes()));
    }
  }
  for (size_t i = 0; i < logits.size(); ++i) {
    if (!std::isfinite(logits[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("logits[", i, "]: got ", logits[i], ", want finite"));
    }
  }
  return absl::OkStatus();
}

// log of the mean over members of p_m[label], shifted by the largest of them.
double LogMeanProbability(absl::Span<const float> logits, EnsembleShape shape, size_t row,
                          size_t label, double temperature) {
  double top = -INFINITY;
  double sum = 0.0;
  for (size_t m = 0; m < shape.members(); ++m) {
    const auto member_row = logits.subspan(shape.RowOffset(m, row), shape.classes());
    const double log_p =
        member_row[label] / temperature - uncertainty::LogSumExp(member_row, temperature);
    if (log_p > top) {
      sum *= std::exp(top - log_p);
      top = log_p;
    }
    sum += std::exp(log_p - top);
  }
  return top + std::log(sum) - std::log(static_cast<double>(shape.members()));
}

double Nll(absl::Span<const float> logits, EnsembleShape shape, absl::Span<const size_t> labels,
           double temperature) {
  double sum = 0.0;
  for (size_t b = 0; b < labels.size(); ++b) {
    sum -= LogMeanProbability(logits, shape, b, labels[b], temperature);
  }
  return sum / static_cast<double>(labels.size());
}

// Golden section (Kiefer 1953) on [low, high] down to a width of 1e-7.
template <typename Function>
double MinimumWithin(double low, double high, Function function) {
  const double shrink = std::numbers::phi - 1.0;
  double left = high - shrink * (high - low);
  double right = low + shrink * (high - low);
  double at_left = function(left);
  double at_right = function(right);
  while (high - low > 1e-7) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - shrink * (high - low);
      at_left = function(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + shrink * (high - low);
      at_right = function(right);
    }
  }
  return (low + high) / 2.0;
}

}  // namespace

absl::StatusOr<double> EnsembleNll(absl::Span<const float> member_logits, EnsembleShape shape,
                                   absl::Span<const size_t> labels, double temperature) {
  HYDRA_RETURN_IF_ERROR(CheckInput(member_logits, shape, labels));
  if (!(temperature > 0.0) || !std::isfinite(temperature)) {
    return absl::InvalidArgumentError(
        absl::StrCat("temperature: got ", temperature, ", want a positive finite number"));
  }
  return Nll(member_logits, shape, labels, temperature);
}

absl::StatusOr<TemperatureFit> FitTemperature(absl::Span<const float> member_logits,
                                              EnsembleShape shape,
                                              absl::Span<const size_t> labels) {
  HYDRA_RETURN_IF_ERROR(CheckInput(member_logits, shape, labels));
  const auto nll = [&](double log_temperature) {
    return Nll(member_logits, shape, labels, std::exp(log_temperature));
  };
  const double low = std::log(kMinTemperature);
  const double step = (std::log(kMaxTemperature) - low) / (kGridPoints - 1);
  std::array<double, kGridPoints> grid;
  for (size_t i = 0; i < kGridPoints; ++i) grid[i] = nll(low + step * static_cast<double>(i));
  const size_t best = std::min_element(grid.begin(), grid.end()) - grid.begin();
  const double best_log = low + step * static_cast<double>(best);
  const double from = best == 0 ? best_log : best_log - step;
  const double to = best == kGridPoints - 1 ? best_log : best_log + step;
  TemperatureFit fit{.nll_before = nll(0.0)};
  const double inside = MinimumWithin(from, to, nll);
  fit.nll_after = nll(inside);
  fit.temperature = std::exp(inside);
  if (grid[best] <= fit.nll_after) {
    fit.nll_after = grid[best];
    fit.temperature = std::exp(best_log);
  }
  fit.at_bound = fit.temperature <= kMinTemperature * (1.0 + 1e-6) ||
                 fit.temperature >= kMaxTemperature * (1.0 - 1e-6);
  return fit;
}

}  // namespace hydra::calibration
