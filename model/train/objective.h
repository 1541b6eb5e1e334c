// What training minimises: losses over the logits of M members.
#pragma once

#include <ATen/core/Tensor.h>

namespace hydra::train {

// Mean over members and rows of the cross-entropy; logits [M, B, C], labels [B]; `weights`: [M, B]
// or undefined.
at::Tensor MemberLoss(const at::Tensor& logits, const at::Tensor& labels, const at::Tensor& weights,
                      double label_smoothing);

// Mean over rows of H[mean_m p_m] - mean_m H[p_m], nats: how much members disagree.  logits: [M, B,
// C].
at::Tensor MutualInformation(const at::Tensor& logits);

// Mean over members and rows of the cross-entropy to the uniform distribution (outlier exposure,
// Hendrycks et al. 2019).
at::Tensor UniformLoss(const at::Tensor& logits);

// Mean over members and rows of KL(teacher_m || member_m); both [M, B, C].
at::Tensor DistillationLoss(const at::Tensor& teachers, const at::Tensor& logits);

}  // namespace hydra::train
