// ViLU: a trained predictor of a zero-shot classifier's errors (Lafon et al. 2025).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace hydra::builder {

// What the predictor reads of B images of a classifier of C classes in a joint space of width E;
// rows of `images` and `texts` have length 1.
struct ViluBatch {
  at::Tensor images;     // [B, E]
  at::Tensor texts;      // [C, E]
  at::Tensor predicted;  // int64 [B], the classifier's answers
  double scale = 1.0;    // of cosines
};

// With v an image, t_c the text of class c and y the predicted class, u = A v, s_c = B t_c:
//   z = sum_c softmax_c(scale u . s_c) s_c,   logit = MLP([v, t_y, z]),
// the MLP of widths 3E-512-256-128-1 with ReLU.  sigmoid(logit) is the probability of an error, so
// higher is less sure.
struct ViluModel {
  at::Tensor image_map, text_map;                         // A and B: [E, E], identity at first
  std::vector<std::pair<at::Tensor, at::Tensor>> layers;  // weight [out, in] and bias [out]

  std::vector<at::Tensor> Parameters() const;
};

// Weights uniform in +-1/sqrt(inputs).
ViluModel MakeVilu(size_t width, uint64_t seed);

// [B].  Differentiable.  Throws c10::Error.
at::Tensor ViluLogits(const ViluModel& model, const ViluBatch& batch);

// Mean binary cross-entropy of "is an error" with weight log(1 + a / (1 - a)) on the errors, a the
// share of `batch` that is correct; `errors`: [B], 1 or 0.  Differentiable.  Throws c10::Error.
at::Tensor ViluLoss(const ViluModel& model, const ViluBatch& batch, const at::Tensor& errors);

struct ViluOptions {
  size_t steps = 600;
  size_t batch = 256;
  double lr = 1e-3;
  size_t frozen_steps = 200;  // at first, in which both maps stay the identity
  double weight_decay = 1e-2;
  uint64_t seed = 0;
};

// AdamW with a cosine schedule on rows that the classifier was applied to; `labels`: int64 [N].
// The result depends on the arguments only.  Errors: INVALID_ARGUMENT no rows, steps or batch;
// FAILED_PRECONDITION rows without an error, from which nothing can be learnt; ABORTED the loss is
// not finite; INTERNAL LibTorch's message.
absl::StatusOr<ViluModel> TrainVilu(const ViluBatch& rows, const at::Tensor& labels,
                                    const ViluOptions& options);

}  // namespace hydra::builder
