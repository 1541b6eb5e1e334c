#include "model/builder/zeroshot/vilu.h"

#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <c10/core/GradMode.h>
#include <torch/optim/adamw.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/train/schedule.h"

namespace hydra::builder {
namespace {

constexpr int64_t kWidths[] = {512, 256, 128, 1};

at::Tensor UniformTensor(at::IntArrayRef shape, double bound, base::Rng& rng) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  float* values = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i)
    values[i] = static_cast<float>(bound * (2.0 * rng.Uniform() - 1.0));
  return tensor;
}

ViluBatch Rows(const ViluBatch& all, const at::Tensor& rows) {
  return {.images = all.images.index_select(0, rows),
          .texts = all.texts,
          .predicted = all.predicted.index_select(0, rows),
          .scale = all.scale};
}

class Run {
 public:
  Run(const ViluBatch& rows, const at::Tensor& errors, const ViluOptions& options, ViluModel& model)
      : rows_(rows),
        errors_(errors),
        options_(options),
        batch_(std::min(options.batch, static_cast<size_t>(errors.size(0)))),
        model_(model),
        optimiser_(model.Parameters(),
                   torch::optim::AdamWOptions(options.lr).weight_decay(options.weight_decay)) {}

  absl::Status Step(size_t step) {
    const bool frozen = step < options_.frozen_steps;
    model_.image_map.requires_grad_(!frozen);
    model_.text_map.requires_grad_(!frozen);
    for (auto& group : optimiser_.param_groups()) {
      group.options().set_lr(
          train::LearningRate({.peak = options_.lr, .steps = options_.steps}, step));
    }
    const at::Tensor index = NextRows(step);
    const at::Tensor loss = ViluLoss(model_, Rows(rows_, index), errors_.index_select(0, index));
    if (!std::isfinite(loss.item<double>())) {
      return absl::AbortedError(absl::StrCat("vilu: the loss is not finite at step ", step));
    }
    optimiser_.zero_grad();
    loss.backward();
    optimiser_.step();
    return absl::OkStatus();
  }

 private:
  at::Tensor NextRows(size_t step) {
    const auto total = static_cast<size_t>(errors_.size(0));
    const size_t per_epoch = total / batch_;
    if (step % per_epoch == 0) {
      order_ = base::Rng::ForPurpose(options_.seed, absl::StrCat("vilu epoch ", step / per_epoch))
                   .Permutation(total);
    }
    const auto rows = absl::MakeConstSpan(order_).subspan((step % per_epoch) * batch_, batch_);
    return at::tensor(std::vector<int64_t>(rows.begin(), rows.end()), at::kLong);
  }

  const ViluBatch& rows_;
  const at::Tensor& errors_;
  const ViluOptions& options_;
  const size_t batch_;
  ViluModel& model_;
  torch::optim::AdamW optimiser_;
  std::vector<size_t> order_;
};

absl::Status CheckRequest(const at::Tensor& errors, const ViluOptions& options) {
  if (errors.numel() == 0 || options.steps == 0 || options.batch == 0) {
    return absl::InvalidArgumentError(absl::StrCat("vilu: got ", errors.numel(), " rows, ",
                                                   options.steps, " steps and batch ",
                                                   options.batch, ", want at least 1 of each"));
  }
  if (errors.sum().item<double>() > 0.0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "vilu: got ", errors.numel(), " rows without an error, want some to learn from"));
}

}  // namespace

std::vector<at::Tensor> ViluModel::Parameters() const {
  std::vector<at::Tensor> parameters = {image_map, text_map};
  for (const auto& [weight, bias] : layers) parameters.insert(parameters.end(), {weight, bias});
  return parameters;
}

ViluModel MakeVilu(size_t width, uint64_t seed) {
  base::Rng rng = base::Rng::ForPurpose(seed, "vilu");
  const auto joint = static_cast<int64_t>(width);
  ViluModel model{.image_map = at::eye(joint), .text_map = at::eye(joint), .layers = {}};
  int64_t inputs = 3 * joint;
  for (const int64_t outputs : kWidths) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
    at::Tensor weight = UniformTensor({outputs, inputs}, bound, rng);
    model.layers.emplace_back(std::move(weight), UniformTensor({outputs}, bound, rng));
    inputs = outputs;
  }
  return model;
}

at::Tensor ViluLogits(const ViluModel& model, const ViluBatch& batch) {
  const at::Tensor mapped = at::matmul(batch.texts, model.text_map.t());
  const at::Tensor queries = at::matmul(batch.images, model.image_map.t());
  const at::Tensor attention =
      at::softmax(at::matmul(queries, mapped.t()) * batch.scale, /*dim=*/1);
  at::Tensor x = at::cat(
      {batch.images, batch.texts.index_select(0, batch.predicted), at::matmul(attention, mapped)},
      1);
  for (size_t l = 0; l < model.layers.size(); ++l) {
    x = at::linear(x, model.layers[l].first, model.layers[l].second);
    if (l + 1 < model.layers.size()) x = at::relu(x);
  }
  return x.squeeze(1);
}

at::Tensor ViluLoss(const ViluModel& model, const ViluBatch& batch, const at::Tensor& errors) {
  // A batch without errors has no row that the weight would apply to.
  const double wrong = std::max(errors.to(at::kDouble).mean().item<double>(), 1e-6);
  const double weight = std::log(1.0 + (1.0 - wrong) / wrong);
  const at::Tensor weights = errors * (weight - 1.0) + 1.0;
  return at::binary_cross_entropy_with_logits(ViluLogits(model, batch), errors, weights);
}

absl::StatusOr<ViluModel> TrainVilu(const ViluBatch& rows, const at::Tensor& labels,
                                    const ViluOptions& options) {
  return nn::CatchTorch("vilu", [&]() -> absl::StatusOr<ViluModel> {
    const at::Tensor errors = rows.predicted.ne(labels).to(at::kFloat);
    HYDRA_RETURN_IF_ERROR(CheckRequest(errors, options));
    const c10::AutoGradMode gradients(true);
    ViluModel model = MakeVilu(static_cast<size_t>(rows.images.size(1)), options.seed);
    for (at::Tensor& parameter : model.Parameters()) parameter.requires_grad_(true);
    {
      Run run(rows, errors, options, model);
      for (size_t step = 0; step < options.steps; ++step) HYDRA_RETURN_IF_ERROR(run.Step(step));
    }
    for (at::Tensor& parameter : model.Parameters()) parameter.requires_grad_(false);
    return model;
  });
}

}  // namespace hydra::builder
