// Layers whose parameters are shared by all groups of their input, or one set for each.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace hydra::nn {

// x: [S, R, in], weight: [G, out, in], bias: [G, out] or undefined, G = 1 or S -> [S, R, out], in
// the weight's dtype.
at::Tensor GroupedLinear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

// x: [S, R, D], weight and bias: [G, D], G = 1 or S.
at::Tensor GroupedLayerNorm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                            double epsilon);

// By its name in artifact::Geometry; "swiglu" halves the last dimension: silu(first half) * second.
at::Tensor Activate(const at::Tensor& x, const std::string& activation);

}  // namespace hydra::nn
