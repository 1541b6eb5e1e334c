// The layer that learns which heads matter: one score for each head of the network (SAPER).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "model/artifact/manifest.h"
#include "model/importance/lapsum.h"
#include "model/importance/selection.h"
#include "model/nn/pass/forward.h"
#include "model/saper/adam.h"
#include "model/saper/anneal.h"

namespace hydra::saper {

enum class ScoreStart {
  kSmall,   // 0.01 N(0, 1)
  kUnit,    // N(0, 1)
  kScaled,  // N(0, 1) / sqrt(n)
};

struct SelectorOptions {
  size_t budget = 1;  // k, of all n = L*H heads
  ScoreStart start = ScoreStart::kSmall;
  Annealing annealing;
  double budget_warmup = 0.3;  // share of the steps in which k falls from n
  double learning_rate = 2e-2;
  double clip_norm = 5.0;  // of the scores' gradient alone
};

// Errors: INVALID_ARGUMENT a budget outside 1..n, or numbers that make no sense.
absl::Status CheckSelector(const SelectorOptions& options, const artifact::Geometry& geometry);

struct SelectorRun {
  size_t steps = 1;
  uint64_t seed = 0;
};

// The weights p of importance::ComputeSoftTopK multiply the heads' contexts before the output
// projection.  Where k = n they are 1 and nothing is learnt.  Not thread-safe; LibTorch's errors
// are thrown.
class Selector {
 public:
  // `options` passed CheckSelector.
  Selector(const artifact::Geometry& geometry, const SelectorOptions& options, SelectorRun run);

  // Multiplies by the weights of this step; valid until the next call.  A gradient reaches them.
  nn::ContextTap Tap(size_t step);

  // Moves the scores by the gradient that the weights of the last Tap have received.
  void Learn(size_t step);

  importance::HeadTable Scores() const;   // r
  importance::HeadTable Weights() const;  // p of the last Tap

  // Sum of the weights of the `budget` largest scores over the budget: 1 is a hard choice.
  double Hardness() const;

  Adam::Named State() const { return adam_.State(); }

 private:
  std::vector<double> ScoreValues() const;
  importance::HeadTable Table(const std::vector<double>& values) const;
  importance::SoftTopKOptions At(size_t step) const;

  const size_t layers_, heads_;
  const SelectorOptions options_;
  const SelectorRun run_;
  at::Tensor scores_;  // float32 [L*H]
  Adam adam_;
  importance::SoftTopK soft_;  // of the last Tap
  at::Tensor weights_;         // its weights as a leaf: float32 [L, H, 1]
};

}  // namespace hydra::saper
