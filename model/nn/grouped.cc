#include "model/nn/grouped.h"

#include <vector>

#include "model/base/check.h"

namespace hydra::nn {

at::Tensor GroupedLinear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const at::Tensor input = x.to(weight.scalar_type());
  if (weight.size(0) == 1)
    return at::linear(input, weight[0], bias.defined() ? bias[0] : at::Tensor());
  if (!bias.defined()) return at::bmm(input, weight.transpose(1, 2));
  return at::baddbmm(bias.unsqueeze(1), input, weight.transpose(1, 2));
}

at::Tensor GroupedLayerNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                            double epsilon) {
  if (weight.size(0) == 1) return at::layer_norm(x, {x.size(2)}, weight[0], bias[0], epsilon);
  const at::Tensor normal = at::layer_norm(x, {x.size(2)}, {}, {}, epsilon);
  return normal * weight.unsqueeze(1) + bias.unsqueeze(1);
}

at::Tensor Activate(const at::Tensor& x, const std::string& activation) {
  if (activation == "gelu") return at::gelu(x);
  if (activation == "gelu_tanh") return at::gelu(x, "tanh");
  if (activation == "quick_gelu") return x * at::sigmoid(1.702 * x);
  if (activation == "tanh") return at::tanh(x);
  if (activation == "swiglu") {
    const std::vector<at::Tensor> halves = x.chunk(2, -1);
    return at::silu(halves[0]) * halves[1];
  }
  HYDRA_CHECK(activation == "relu");
  return at::relu(x);
}

}  // namespace hydra::nn
