#include "model/saper/selector.h"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "model/base/rng.h"
#include "model/nn/tensor_convert.h"

namespace hydra::saper {
namespace {

at::Tensor FirstScores(size_t count, ScoreStart start, uint64_t seed) {
  base::Rng rng = base::Rng::ForPurpose(seed, "head scores");
  const double scale = start == ScoreStart::kSmall    ? 0.01
                       : start == ScoreStart::kScaled ? 1.0 / std::sqrt(static_cast<double>(count))
                                                      : 1.0;
  std::vector<float> scores(count);
  for (float& score : scores) score = static_cast<float>(scale * rng.Normal());
  return nn::FromFloats(scores, {static_cast<int64_t>(count)});
}

// As torch's clip_grad_norm_.
void Clip(std::vector<double>& gradient, double largest) {
  const double norm =
      std::sqrt(std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0));
  const double factor = std::min(1.0, largest / (norm + 1e-6));
  for (double& value : gradient) value *= factor;
}

bool IsShare(double value) { return value >= 0.0 && value <= 1.0; }

std::vector<double> Doubles(const at::Tensor& tensor) {
  const c10::AutoGradMode no_gradients(false);
  const at::Tensor flat = tensor.to(at::kDouble).contiguous().view(-1);
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

}  // namespace

absl::Status CheckSelector(const SelectorOptions& options, const artifact::Geometry& geometry) {
  const size_t count = geometry.layers * geometry.heads;
  if (options.budget == 0 || options.budget > count || count < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("saper: budget: got ", options.budget, ", want 1..", count, ", the heads"));
  }
  const Annealing& annealing = options.annealing;
  if (!(annealing.start > 0.0 && annealing.end > 0.0 && IsShare(annealing.from) &&
        annealing.to >= annealing.from && IsShare(annealing.to))) {
    return absl::InvalidArgumentError(
        absl::StrCat("saper: annealing: got ", annealing.start, " to ", annealing.end, " from ",
                     annealing.from, " to ", annealing.to,
                     " of the steps, want positive temperatures and shares 0 <= from <= to <= 1"));
  }
  if (IsShare(options.budget_warmup) && options.learning_rate > 0.0 && options.clip_norm > 0.0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("saper: got budget warm-up ", options.budget_warmup, ", learning rate ",
                   options.learning_rate, " and clip norm ", options.clip_norm,
                   ", want a share of the steps and positive numbers"));
}

Selector::Selector(const artifact::Geometry& geometry, const SelectorOptions& options,
                   SelectorRun run)
    : layers_(geometry.layers),
      heads_(geometry.heads),
      options_(options),
      run_(run),
      scores_(FirstScores(layers_ * heads_, options.start, run.seed)),
      adam_({{"scores", scores_}}) {}

std::vector<double> Selector::ScoreValues() const { return Doubles(scores_); }

importance::SoftTopKOptions Selector::At(size_t step) const {
  const auto warmup =
      static_cast<size_t>(std::lround(options_.budget_warmup * static_cast<double>(run_.steps)));
  return {.count = CountAt({layers_ * heads_, options_.budget, warmup}, step),
          .temperature = Temperature(options_.annealing, step, run_.steps)};
}

nn::ContextTap Selector::Tap(size_t step) {
  const importance::SoftTopKOptions at = At(step);
  soft_ = {.weights = std::vector<double>(layers_ * heads_, 1.0)};
  if (at.count < static_cast<double>(layers_ * heads_)) {
    auto soft = importance::ComputeSoftTopK(ScoreValues(), at);
    TORCH_CHECK(soft.ok(), soft.status().ToString());
    soft_ = *std::move(soft);
  }
  weights_ = at::tensor(soft_.weights, at::kFloat)
                 .view({static_cast<int64_t>(layers_), static_cast<int64_t>(heads_), 1})
                 .requires_grad_(true);
  return [weights = weights_](size_t layer, at::Tensor context) {
    return context * weights[static_cast<int64_t>(layer)];
  };
}

void Selector::Learn(size_t step) {
  const importance::SoftTopKOptions at = At(step);
  if (at.count >= static_cast<double>(layers_ * heads_) || !weights_.grad().defined()) return;
  auto gradient = importance::PullBackSoftTopK(ScoreValues(), soft_, at, Doubles(weights_.grad()));
  TORCH_CHECK(gradient.ok(), gradient.status().ToString());
  Clip(gradient->scores, options_.clip_norm);
  scores_.mutable_grad() = at::tensor(gradient->scores, at::kFloat);
  adam_.Step(options_.learning_rate, step);
}

importance::HeadTable Selector::Table(const std::vector<double>& values) const {
  importance::HeadTable table(layers_);
  for (size_t i = 0; i < values.size(); ++i) table[i / heads_].push_back(values[i]);
  return table;
}

importance::HeadTable Selector::Scores() const { return Table(ScoreValues()); }

importance::HeadTable Selector::Weights() const { return Table(soft_.weights); }

double Selector::Hardness() const {
  const std::vector<double> scores = ScoreValues();
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  double sum = 0.0;
  for (size_t i = 0; i < options_.budget; ++i) sum += soft_.weights[order[i]];
  return sum / static_cast<double>(options_.budget);
}

}  // namespace hydra::saper
