// A student that learns to give the outputs of a teacher's layers (SAPER's distillation).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/nn/input.h"
#include "model/nn/network.h"
#include "model/nn/pass/forward.h"
#include "model/saper/adam.h"

namespace hydra::saper {

enum class DistilTarget {
  kTokens,   // every token's output
  kClsMean,  // the first token's output beside the mean of the patches' (of words: of the others')
};

absl::StatusOr<DistilTarget> ParseDistilTarget(const std::string& name);  // "tokens", "cls_mean"

struct DistilOptions {
  std::vector<size_t> layers;  // whose whole outputs are compared, 1..L; empty: the last
  DistilTarget target = DistilTarget::kTokens;
  double learning_rate = 1e-3;  // of the projections, constant
};

// Errors: INVALID_ARGUMENT a layer outside 1..L, or a rate that is not positive.
absl::Status CheckDistil(const DistilOptions& options, const artifact::Geometry& geometry);

// The loss is the mean over layers and outputs of 1 - cos(P_l s, t), with s of the student, t of
// the teacher, and P_l a projection with bias of its own for each layer, learnt from the identity
// on.  Not thread-safe; LibTorch's errors are thrown.
class Distiller {
 public:
  // Refers to `teacher`, M = 1.  `options` passed CheckDistil.
  Distiller(const nn::Network& teacher, const DistilOptions& options);

  // Makes the student's pass keep what Loss compares.
  void Watch(nn::ForwardOptions& forward);

  // After the student's pass of the same inputs.  Runs the teacher without gradients.
  at::Tensor Loss(const nn::Input& inputs);

  // Moves the projections by their gradients.
  void Learn(size_t step) { adam_.Step(options_.learning_rate, step); }

  Adam::Named State() const { return adam_.State(); }

 private:
  using Outputs = std::vector<at::Tensor>;  // [R, D] of each compared layer

  void Keep(size_t layer, const at::Tensor& hidden, Outputs& outputs) const;
  at::Tensor Compared(const at::Tensor& output, const nn::Sequences& sequences) const;

  const nn::Network& teacher_;
  const DistilOptions options_;
  const std::vector<size_t> layers_;
  std::vector<at::Tensor> weights_, biases_;  // of the projections, in the order of layers_
  Adam adam_;
  Outputs student_;
};

}  // namespace hydra::saper
