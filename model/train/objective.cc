#include "model/train/objective.h"

#include <ATen/core/Reduction.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/log_softmax.h>

#include <cmath>

namespace hydra::train {

at::Tensor MemberLoss(const at::Tensor& logits, const at::Tensor& labels, const at::Tensor& weights,
                      double label_smoothing) {
  const int64_t members = logits.size(0), batch = logits.size(1);
  const at::Tensor losses =
      at::cross_entropy_loss(logits.reshape({members * batch, -1}), labels.repeat({members}), {},
                             at::Reduction::None, /*ignore_index=*/-100, label_smoothing)
          .view({members, batch});
  if (!weights.defined()) return losses.mean();
  return (losses * weights).sum() / weights.sum().clamp_min(1.0);
}

at::Tensor MutualInformation(const at::Tensor& logits) {
  const at::Tensor log_p = at::log_softmax(logits, -1);  // [M, B, C]
  const at::Tensor log_mean =
      at::logsumexp(log_p, {0}) - std::log(static_cast<double>(logits.size(0)));  // [B, C]
  const at::Tensor aleatoric = -(log_p.exp() * log_p).sum(-1).mean();
  const at::Tensor total = -(log_mean.exp() * log_mean).sum(-1).mean();
  return total - aleatoric;
}

at::Tensor UniformLoss(const at::Tensor& logits) { return -at::log_softmax(logits, -1).mean(); }

at::Tensor DistillationLoss(const at::Tensor& teachers, const at::Tensor& logits) {
  const at::Tensor teacher = at::log_softmax(teachers, -1);
  return (teacher.exp() * (teacher - at::log_softmax(logits, -1))).sum(-1).mean();
}

}  // namespace hydra::train
