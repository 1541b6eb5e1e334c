// First-order Taylor importance of attention heads: how much the loss would change without a head.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/nn/input.h"
#include "model/nn/network.h"

namespace hydra::importance {

// importance[l][h], larger is more important.
using ImportanceTable = std::vector<std::vector<double>>;

// With a_i,t,h = sum over features of context * dLoss/dcontext (Michel et al. 2019: the gradient of
// a gate of 1 on the head), L the loss summed over a batch, in evaluation mode:
enum class TaylorEstimator {
  kPerToken,  // sum_i sum_t |a_i,t,h| over tokens; divided by examples in the last layer (Michel's
              // published code)
  kPerExample,   // mean_i |sum_t a_i,t,h| (the formula as printed)
  kGateSquared,  // mean_i (sum_t a_i,t,h)^2 (Molchanov et al. 2019, gates)
};

absl::StatusOr<TaylorEstimator> ParseTaylorEstimator(const std::string& name);
std::string TaylorEstimatorName(TaylorEstimator estimator);

struct TaylorOptions {
  TaylorEstimator estimator = TaylorEstimator::kPerToken;
  size_t batch = 128;
};

// `inputs`: N preprocessed images or texts; `labels`: [N] int64 below C; `base`: M = 1, every head.
// Errors: INVALID_ARGUMENT shapes that do not fit, N = 0 or a pruned base;
// INTERNAL LibTorch's message.
absl::StatusOr<ImportanceTable> TaylorImportance(const nn::Network& base, const nn::Input& inputs,
                                                 const at::Tensor& labels,
                                                 const TaylorOptions& options);

}  // namespace hydra::importance
