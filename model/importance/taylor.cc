#include "model/importance/taylor.h"

#include <ATen/core/Reduction.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/pass/embed.h"
#include "model/nn/pass/forward.h"
#include "model/nn/sequences.h"

namespace hydra::importance {
namespace {

struct EstimatorName {
  TaylorEstimator estimator;
  const char* name;
};
constexpr std::array<EstimatorName, 3> kEstimators = {
    {{TaylorEstimator::kPerToken, "per_token"},
     {TaylorEstimator::kPerExample, "per_example"},
     {TaylorEstimator::kGateSquared, "gate_squared"}}};

absl::Status CheckInputs(const nn::Network& base, const nn::Input& inputs,
                         const at::Tensor& labels) {
  if (base.members != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("taylor importance: got ", base.members, " members, want 1"));
  }
  for (const artifact::LayerPlan& layer : base.plan) {
    if (layer.heads.front().size() != base.geometry.heads) {
      return absl::InvalidArgumentError("taylor importance: the base is pruned already");
    }
  }
  const int64_t count = nn::InputSize(inputs);
  if (count == 0 || labels.dim() != 1 || labels.size(0) != count) {
    return absl::InvalidArgumentError(absl::StrCat("taylor importance: got ", count, " inputs and ",
                                                   labels.numel(),
                                                   " labels, want as many and at least 1"));
  }
  return absl::OkStatus();
}

// The contexts of one forward pass, each with its gradient after Backward.
std::vector<at::Tensor> ContextsWithGradients(const nn::Network& base, const nn::Input& inputs,
                                              const at::Tensor& labels) {
  std::vector<at::Tensor> contexts;
  nn::ForwardOptions options;
  options.tap = [&contexts](size_t layer, at::Tensor context) {
    // The first context is the leaf that starts the graph; parameters need no gradient here.
    if (layer == 0) context = context.detach().requires_grad_(true);
    context.retain_grad();
    contexts.push_back(context);
    return context;
  };
  const at::Tensor logits = nn::Forward(base, inputs, options)[0];
  at::cross_entropy_loss(logits, labels, {}, at::Reduction::Sum).backward();
  return contexts;
}

// context and gradient: [1, R, H, d_h] -> [H], summed over the batch; `row_inputs`: [R].
at::Tensor Accumulate(const at::Tensor& context, const at::Tensor& row_inputs, int64_t batch,
                      TaylorEstimator estimator) {
  const at::Tensor per_token =
      (context.detach() * context.grad()).sum(-1)[0].to(at::kDouble);  // [R, H]
  if (estimator == TaylorEstimator::kPerToken) return per_token.abs().sum(0);
  const at::Tensor per_example =
      at::zeros({batch, per_token.size(1)}, at::kDouble).index_add(0, row_inputs, per_token);
  return (estimator == TaylorEstimator::kPerExample ? per_example.abs() : per_example.square())
      .sum(0);
}

absl::StatusOr<ImportanceTable> Compute(const nn::Network& base, const nn::Input& inputs,
                                        const at::Tensor& labels, const TaylorOptions& options) {
  const c10::AutoGradMode gradients(true);
  const auto heads = static_cast<int64_t>(base.geometry.heads);
  const auto layers = static_cast<int64_t>(base.geometry.layers);
  at::Tensor sums = at::zeros({layers, heads}, at::kDouble);
  const int64_t count = nn::InputSize(inputs);
  int64_t tokens = 0;
  const auto batch = static_cast<int64_t>(options.batch);
  for (int64_t start = 0; start < count; start += batch) {
    const int64_t rows = std::min(batch, count - start);
    const nn::Input part = nn::SliceInput(inputs, start, rows);
    const nn::Sequences sequences = nn::LayOut(nn::TokenCounts(base, part));
    const at::Tensor row_inputs = nn::RowInputs(sequences);
    tokens += sequences.rows;
    const std::vector<at::Tensor> contexts =
        ContextsWithGradients(base, part, labels.narrow(0, start, rows));
    for (int64_t l = 0; l < layers; ++l) {
      sums[l] += Accumulate(contexts[static_cast<size_t>(l)], row_inputs, rows, options.estimator);
    }
  }
  ImportanceTable table;
  for (int64_t l = 0; l < layers; ++l) {
    const bool by_token = options.estimator == TaylorEstimator::kPerToken && l + 1 < layers;
    const double divisor = static_cast<double>(by_token ? tokens : count);
    auto& row = table.emplace_back();
    for (int64_t h = 0; h < heads; ++h) row.push_back(sums[l][h].item<double>() / divisor);
  }
  return table;
}

}  // namespace

absl::StatusOr<TaylorEstimator> ParseTaylorEstimator(const std::string& name) {
  for (const EstimatorName& entry : kEstimators) {
    if (name == entry.name) return entry.estimator;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "taylor estimator: got \"", name, "\", want per_token, per_example or gate_squared"));
}

std::string TaylorEstimatorName(TaylorEstimator estimator) {
  return std::find_if(kEstimators.begin(), kEstimators.end(),
                      [&](const EstimatorName& entry) { return entry.estimator == estimator; })
      ->name;
}

absl::StatusOr<ImportanceTable> TaylorImportance(const nn::Network& base, const nn::Input& inputs,
                                                 const at::Tensor& labels,
                                                 const TaylorOptions& options) {
  HYDRA_RETURN_IF_ERROR(CheckInputs(base, inputs, labels));
  return nn::CatchTorch("taylor importance",
                        [&] { return Compute(base, inputs, labels, options); });
}

}  // namespace hydra::importance
