#include "model/saper/distiller.h"

#include <ATen/ops/cosine_similarity.h>
#include <ATen/ops/linear.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/nn/pass/embed.h"
#include "model/nn/sequences.h"

namespace hydra::saper {
namespace {

std::vector<at::Tensor> Leaves(size_t count, const at::Tensor& value) {
  std::vector<at::Tensor> leaves;
  for (size_t i = 0; i < count; ++i) leaves.push_back(value.clone().requires_grad_(true));
  return leaves;
}

Adam::Named Names(const std::vector<at::Tensor>& weights, const std::vector<at::Tensor>& biases) {
  Adam::Named named;
  for (size_t i = 0; i < weights.size(); ++i) {
    named.emplace_back(absl::StrCat("projection", i, ".weight"), weights[i]);
    named.emplace_back(absl::StrCat("projection", i, ".bias"), biases[i]);
  }
  return named;
}

std::vector<size_t> LayersOf(const DistilOptions& options, const nn::Network& teacher) {
  return options.layers.empty() ? std::vector<size_t>{teacher.plan.size()} : options.layers;
}

}  // namespace

absl::StatusOr<DistilTarget> ParseDistilTarget(const std::string& name) {
  if (name == "tokens") return DistilTarget::kTokens;
  if (name == "cls_mean") return DistilTarget::kClsMean;
  return absl::InvalidArgumentError(
      absl::StrCat("distillation target: got \"", name, "\", want tokens or cls_mean"));
}

absl::Status CheckDistil(const DistilOptions& options, const artifact::Geometry& geometry) {
  for (const size_t layer : options.layers) {
    if (layer >= 1 && layer <= geometry.layers) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("distillation: layer: got ", layer, ", want 1..", geometry.layers));
  }
  if (options.learning_rate > 0.0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("distillation: learning rate: got ", options.learning_rate, ", want above 0"));
}

Distiller::Distiller(const nn::Network& teacher, const DistilOptions& options)
    : teacher_(teacher),
      options_(options),
      layers_(LayersOf(options, teacher)),
      weights_(Leaves(layers_.size(),
                      at::eye(static_cast<int64_t>(teacher.geometry.width), at::kFloat))),
      biases_(Leaves(layers_.size(),
                     at::zeros({static_cast<int64_t>(teacher.geometry.width)}, at::kFloat))),
      adam_(Names(weights_, biases_)),
      student_(layers_.size()) {}

void Distiller::Keep(size_t layer, const at::Tensor& hidden, Outputs& outputs) const {
  for (size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i] == layer) outputs[i] = hidden[0];
  }
}

void Distiller::Watch(nn::ForwardOptions& forward) {
  forward.observe = [this](size_t layer, const at::Tensor& hidden) {
    Keep(layer, hidden, student_);
  };
}

at::Tensor Distiller::Compared(const at::Tensor& output, const nn::Sequences& sequences) const {
  if (options_.target == DistilTarget::kTokens) return output;
  const at::Tensor& prefix = teacher_.weights.prefix;
  const int64_t skip = prefix.defined() ? prefix.size(0) : 1;
  const at::Tensor used = nn::RowPlaces(sequences).ge(skip).to(at::kFloat).unsqueeze(1);
  const at::Tensor inputs = nn::RowInputs(sequences);
  const at::Tensor zeros = at::zeros({sequences.batch, output.size(1)}, at::kFloat);
  const at::Tensor counts =
      at::zeros({sequences.batch, 1}, at::kFloat).index_add(0, inputs, used).clamp_min(1.0);
  const at::Tensor means = zeros.index_add(0, inputs, output.to(at::kFloat) * used) / counts;
  return at::cat({output.index_select(0, sequences.first_row), means}, 1);
}

at::Tensor Distiller::Loss(const nn::Input& inputs) {
  Outputs wanted(layers_.size());
  {
    const c10::AutoGradMode no_gradients(false);
    nn::ForwardOptions forward;
    forward.observe = [&](size_t layer, const at::Tensor& hidden) { Keep(layer, hidden, wanted); };
    nn::Forward(teacher_, inputs, forward);
  }
  const nn::Sequences sequences = nn::LayOut(nn::TokenCounts(teacher_, inputs));
  at::Tensor sum = at::zeros({}, at::kFloat);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const at::Tensor projected = at::linear(student_[i], weights_[i], biases_[i]);
    const at::Tensor likeness = at::cosine_similarity(Compared(projected, sequences).to(at::kFloat),
                                                      Compared(wanted[i], sequences), 1);
    sum = sum + (1.0 - likeness).mean();
  }
  return sum / static_cast<double>(layers_.size());
}

}  // namespace hydra::saper
