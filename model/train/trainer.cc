#include "model/train/trainer.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/rng.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/pass/forward.h"
#include "model/nn/tensor_convert.h"
#include "model/train/objective.h"
#include "model/train/proxies.h"
#include "model/train/schedule.h"
#include "model/train/training_state.h"

namespace hydra::train {
namespace {

// Matrix products in bfloat16 while it lives.
class AutocastScope {
 public:
  explicit AutocastScope(bool enabled) : before_(at::autocast::is_autocast_enabled(at::kCPU)) {
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCPU, enabled);
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;
  ~AutocastScope() {
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, before_);
  }

 private:
  const bool before_;
};

bool IsDecayed(const std::string& name) {
  return absl::EndsWith(name, "weight") && !absl::StrContains(name, "norm");
}

bool IsHead(const std::string& name) {
  return absl::StartsWith(name, "classifier") || name == "projection";
}

bool IsFrozen(const TrainOptions& options, const std::string& name) {
  return std::any_of(options.frozen.begin(), options.frozen.end(),
                     [&](const std::string& prefix) { return absl::StartsWith(name, prefix); });
}

// Parameters with one learning rate and one weight decay.
struct ParameterGroup {
  double rate_factor = 1.0;  // of the schedule's learning rate
  double weight_decay = 0.0;
  std::vector<at::Tensor> parameters;
};

// Those that layers share (ensemble/tie_blocks.h) once.
std::vector<std::pair<std::string, at::Tensor*>> DistinctParameters(nn::Network& network) {
  std::set<const void*> seen;
  std::vector<std::pair<std::string, at::Tensor*>> distinct;
  for (const auto& [name, parameter] : nn::NamedParameters(network)) {
    if (seen.insert(parameter->unsafeGetTensorImpl()).second)
      distinct.emplace_back(name, parameter);
  }
  return distinct;
}

std::vector<ParameterGroup> GroupParameters(nn::Network& network, const TrainOptions& options) {
  const double head =
      options.head_learning_rate > 0.0 ? options.head_learning_rate / options.learning_rate : 1.0;
  std::vector<ParameterGroup> groups;
  for (const double factor : {1.0, head}) {
    if (!groups.empty() && factor == 1.0) break;
    groups.push_back({factor, options.weight_decay, {}});
    groups.push_back({factor, 0.0, {}});
  }
  for (const auto& [name, parameter] : DistinctParameters(network)) {
    if (IsFrozen(options, name)) continue;
    parameter->requires_grad_(true);
    const size_t first = groups.size() == 4 && IsHead(name) ? 2 : 0;
    groups[first + (IsDecayed(name) ? 0 : 1)].parameters.push_back(*parameter);
  }
  return groups;
}

torch::optim::AdamW MakeOptimiser(const std::vector<ParameterGroup>& parameter_groups,
                                  const TrainOptions& options) {
  const torch::optim::AdamWOptions defaults(options.learning_rate);
  std::vector<torch::optim::OptimizerParamGroup> groups;
  for (const ParameterGroup& group : parameter_groups) {
    auto own = std::make_unique<torch::optim::AdamWOptions>(defaults);
    own->weight_decay(group.weight_decay);
    groups.emplace_back(group.parameters, std::move(own));
  }
  return torch::optim::AdamW(std::move(groups), defaults);
}

// Sum over all pixels or token ids.
int64_t InputSum(const ExampleSet& data) {
  if (!data.texts()) return data.pixels.to(at::kLong).sum().item<int64_t>();
  int64_t sum = 0;
  for (const std::vector<int64_t>& text : data.tokens)
    sum = std::accumulate(text.begin(), text.end(), sum);
  return sum;
}

// Sum over the parameters of all teachers.
double TeacherSum(const std::vector<nn::Network>& teachers) {
  double sum = 0.0;
  for (nn::Network teacher : teachers) {  // a view
    for (const auto& [name, parameter] : nn::NamedParameters(teacher))
      sum += parameter->sum(at::kDouble).item<double>();
  }
  return sum;
}

// Everything that decides the result, for the state file.
std::string Fingerprint(const ExampleSet& data, const TrainOptions& options,
                        const nn::Network& network) {
  const std::string described = absl::StrCat(
      "rows=", data.size(), " labels=", data.labels.sum().item<int64_t>(),
      " inputs=", InputSum(data), " members=", network.members, " steps=", options.steps,
      " batch=", options.batch, " lr=", options.learning_rate,
      " head_lr=", options.head_learning_rate, " decay=", static_cast<int>(options.decay),
      " warmup=", options.warmup_steps, " weight_decay=", options.weight_decay,
      " clip=", options.clip_norm, " smoothing=", options.label_smoothing,
      " dropout=", options.dropout, " flip=", options.augmentation.flip,
      " shift=", options.augmentation.shift_pixels, " bf16=", options.bfloat16,
      " bootstrap=", options.bootstrap, " diversity=", options.diversity,
      " exposure=", options.exposure, " distillation=", options.distillation,
      " teachers=", TeacherSum(options.teachers), " frozen_trunk=", options.frozen_trunk,
      " frozen=", absl::StrJoin(options.frozen, ","), " seed=", options.seed,
      options.hooks.name.empty() ? "" : " hooks=", options.hooks.name);
  return absl::StrCat(base::Sha256Hex(described).substr(0, 16), " (", described, ")");
}

// The rows of step `step`: epochs are permutations of the data, each from the seed and its own
// index.
class BatchOrder {
 public:
  BatchOrder(size_t rows, size_t batch, uint64_t seed)
      : rows_(rows), batch_(std::min(batch, rows)), seed_(seed) {}

  absl::Span<const size_t> Rows(size_t step) {
    const size_t per_epoch = rows_ / batch_;
    const size_t epoch = step / per_epoch;
    if (order_.empty() || epoch != epoch_) {
      epoch_ = epoch;
      order_ = base::Rng::ForPurpose(seed_, absl::StrCat("epoch ", epoch)).Permutation(rows_);
    }
    return absl::MakeConstSpan(order_).subspan((step % per_epoch) * batch_, batch_);
  }

 private:
  const size_t rows_;
  const size_t batch_;
  const uint64_t seed_;
  size_t epoch_ = 0;
  std::vector<size_t> order_;
};

// Poisson(1) weights [M, N] of a bootstrap over the examples.
at::Tensor BootstrapWeights(size_t members, size_t rows, uint64_t seed) {
  std::vector<float> weights(members * rows);
  for (size_t m = 0; m < members; ++m) {
    base::Rng rng = base::Rng::ForPurpose(seed, absl::StrCat("bootstrap ", m));
    for (size_t i = 0; i < rows; ++i) weights[m * rows + i] = static_cast<float>(rng.Poisson(1.0));
  }
  return nn::FromFloats(weights, {static_cast<int64_t>(members), static_cast<int64_t>(rows)});
}

class Run {
 public:
  Run(const ExampleSet& data, const TrainOptions& options, nn::Network& network)
      : data_(data),
        options_(options),
        network_(network),
        groups_(GroupParameters(network, options)),
        optimiser_(MakeOptimiser(groups_, options)),
        order_(data.size(), options.batch, options.seed),
        fingerprint_(Fingerprint(data, options, network)) {
    if (options.bootstrap) weights_ = BootstrapWeights(network.members, data.size(), options.seed);
    for (const auto& [name, parameter] : DistinctParameters(network))
      parameters_.push_back(*parameter);
  }

  absl::StatusOr<size_t> Resume() {
    if (options_.state_path.empty()) return size_t{0};
    return LoadState(options_.state_path, fingerprint_,
                     {network_, optimiser_, options_.hooks.state});
  }

  absl::Status Save(size_t steps_done) {
    if (options_.state_path.empty()) return absl::OkStatus();
    return SaveState(options_.state_path, fingerprint_, steps_done,
                     {network_, optimiser_, options_.hooks.state});
  }

  double RateOf(size_t step) const {
    return LearningRate(
        {options_.learning_rate, options_.warmup_steps, options_.steps, options_.decay}, step);
  }

  absl::StatusOr<double> Step(size_t step) {
    for (size_t g = 0; g < groups_.size(); ++g)
      optimiser_.param_groups()[g].options().set_lr(RateOf(step) * groups_[g].rate_factor);
    const at::Tensor loss = Loss(step);
    const double value = loss.item<double>();
    if (!std::isfinite(value)) {
      return absl::AbortedError(absl::StrCat("training: the loss is ", value, " at step ", step));
    }
    optimiser_.zero_grad();
    loss.backward();
    if (options_.hooks.learn) options_.hooks.learn(step);
    torch::nn::utils::clip_grad_norm_(parameters_, options_.clip_norm);
    optimiser_.step();
    return value;
  }

 private:
  at::Tensor Loss(size_t step) {
    base::Rng rng = base::Rng::ForPurpose(options_.seed, absl::StrCat("step ", step));
    at::manual_seed(rng.NextBits());  // dropout
    const absl::Span<const size_t> rows = order_.Rows(step);
    const nn::Input inputs = GatherAugmented(data_, rows, options_.augmentation, rng);
    const at::Tensor labels = GatherLabels(data_, rows);
    at::Tensor weights;
    if (weights_.defined()) {
      const std::vector<int64_t> index(rows.begin(), rows.end());
      weights = weights_.index_select(1, at::tensor(index, at::kLong));
    }
    const AutocastScope autocast(options_.bfloat16);
    nn::ForwardOptions forward = PassOptions();
    if (options_.hooks.prepare) options_.hooks.prepare(step, forward);
    const at::Tensor logits = nn::Forward(network_, inputs, forward);
    if (options_.hooks.loss) return options_.hooks.loss(inputs);
    at::Tensor loss = MemberLoss(logits, labels, weights, options_.label_smoothing);
    if (options_.distillation > 0.0)
      loss = loss + options_.distillation * DistillationLoss(Teach(inputs), logits);
    if (options_.diversity == 0.0 && options_.exposure == 0.0) return loss;
    const at::Tensor proxies = nn::Forward(
        network_, MakeProxies(inputs, network_.geometry.patch_size, rng), PassOptions());
    if (options_.diversity > 0.0) loss = loss - options_.diversity * MutualInformation(proxies);
    if (options_.exposure > 0.0) loss = loss + options_.exposure * UniformLoss(proxies);
    return loss;
  }

  nn::ForwardOptions PassOptions() const {
    return {.dropout = options_.dropout, .frozen_trunk = options_.frozen_trunk};
  }

  // Logits of all teachers, [M, B, C].
  at::Tensor Teach(const nn::Input& inputs) const {
    const c10::AutoGradMode off(false);
    std::vector<at::Tensor> logits;
    for (const nn::Network& teacher : options_.teachers)
      logits.push_back(nn::Forward(teacher, inputs));
    return at::cat(logits);
  }

  const ExampleSet& data_;
  const TrainOptions& options_;
  nn::Network& network_;
  const std::vector<ParameterGroup> groups_;
  torch::optim::AdamW optimiser_;
  BatchOrder order_;
  const std::string fingerprint_;
  std::vector<at::Tensor> parameters_;
  at::Tensor weights_;
};

absl::Status CheckRequest(const ExampleSet& data, const TrainOptions& options,
                          const nn::Network& network) {
  const auto classes = static_cast<int64_t>(network.geometry.classes);
  if (data.size() == 0 || options.batch == 0 || options.steps == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("training: got ", data.size(), " examples, batch ", options.batch, " and ",
                     options.steps, " steps, want at least 1 of each"));
  }
  size_t taught = 0;
  for (const nn::Network& teacher : options.teachers) taught += teacher.members;
  if (options.distillation > 0.0 && taught != network.members) {
    return absl::InvalidArgumentError(absl::StrCat("training: got ", taught, " teachers for ",
                                                   network.members, " members, want one for each"));
  }
  if (options.diversity > 0.0 && network.members < 2) {
    return absl::InvalidArgumentError("training: diversity: got it for 1 member, want at least 2");
  }
  if (data.labels.min().item<int64_t>() < 0 || data.labels.max().item<int64_t>() >= classes) {
    return absl::InvalidArgumentError(
        absl::StrCat("training: labels: got ", data.labels.min().item<int64_t>(), "..",
                     data.labels.max().item<int64_t>(), ", want 0..", classes - 1));
  }
  return absl::OkStatus();
}

absl::Status RunSteps(Run& run, const TrainOptions& options, const base::Clock& clock,
                      const ProgressCallback& progress) {
  HYDRA_ASSIGN_OR_RETURN(const size_t first, run.Resume());
  const absl::Time start = clock.MonotonicNow();
  for (size_t step = first; step < options.steps; ++step) {
    HYDRA_ASSIGN_OR_RETURN(const double loss, run.Step(step));
    const size_t done = step + 1;
    if (done % std::max<size_t>(1, options.save_every_steps) == 0 || done == options.steps) {
      HYDRA_RETURN_IF_ERROR(run.Save(done));
    }
    const absl::Duration elapsed = clock.MonotonicNow() - start;
    const double left =
        static_cast<double>(options.steps - done) / static_cast<double>(done - first);
    progress({done, options.steps, loss, run.RateOf(step), elapsed, elapsed * left});
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Train(const ExampleSet& data, const TrainOptions& options, const base::Clock& clock,
                   const ProgressCallback& progress, nn::Network& network) {
  return nn::CatchTorch("training", [&]() -> absl::Status {
    HYDRA_RETURN_IF_ERROR(CheckRequest(data, options, network));
    const c10::AutoGradMode gradients(true);
    Run run(data, options, network);
    const absl::Status status = RunSteps(run, options, clock, progress);
    for (const auto& [name, parameter] : nn::NamedParameters(network)) {
      parameter->mutable_grad() = at::Tensor();
      parameter->requires_grad_(false);
    }
    return status;
  });
}

}  // namespace hydra::train
