#include "model/saper/adam.h"

#include <c10/core/GradMode.h>

#include <cmath>

namespace hydra::saper {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

}  // namespace

Adam::Adam(Named parameters) : parameters_(std::move(parameters)) {
  for (const auto& [name, parameter] : parameters_) {
    first_.emplace_back(name + ".moment1", at::zeros_like(parameter));
    second_.emplace_back(name + ".moment2", at::zeros_like(parameter));
  }
}

void Adam::Step(double rate, size_t step) {
  const c10::AutoGradMode no_gradients(false);
  const auto count = static_cast<double>(step + 1);
  const double unbias1 = 1.0 - std::pow(kBeta1, count), unbias2 = 1.0 - std::pow(kBeta2, count);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& parameter = parameters_[i].second;
    const at::Tensor gradient = parameter.grad();
    if (!gradient.defined()) continue;
    first_[i].second.mul_(kBeta1).add_(gradient, 1.0 - kBeta1);
    second_[i].second.mul_(kBeta2).addcmul_(gradient, gradient, 1.0 - kBeta2);
    const at::Tensor spread = (second_[i].second / unbias2).sqrt_().add_(kEpsilon);
    parameter.addcdiv_(first_[i].second, spread, -rate / unbias1);
    parameter.mutable_grad() = at::Tensor();
  }
}

Adam::Named Adam::State() const {
  Named state = parameters_;
  state.insert(state.end(), first_.begin(), first_.end());
  state.insert(state.end(), second_.begin(), second_.end());
  return state;
}

}  // namespace hydra::saper
