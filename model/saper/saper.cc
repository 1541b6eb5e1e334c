#include "model/saper/saper.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"

namespace hydra::saper {
namespace {

std::string Describe(const SelectorOptions& options) {
  const Annealing& annealing = options.annealing;
  return absl::StrCat(
      "selector(budget=", options.budget, " start=", static_cast<int>(options.start),
      " temperature=", annealing.start, "..", annealing.end, " in ", annealing.from, "..",
      annealing.to, " shape=", static_cast<int>(annealing.shape), " warmup=", options.budget_warmup,
      " lr=", options.learning_rate, " clip=", options.clip_norm, ")");
}

std::string Describe(const DistilOptions& options) {
  return absl::StrCat("distil(layers=", absl::StrJoin(options.layers, ","),
                      " target=", static_cast<int>(options.target), " lr=", options.learning_rate,
                      ")");
}

void Append(const Adam::Named& more, Adam::Named& state) {
  state.insert(state.end(), more.begin(), more.end());
}

void FreezeQkv(const nn::Network& network, std::vector<std::string>& frozen) {
  for (size_t l = 0; l < network.plan.size(); ++l) {
    frozen.push_back(absl::StrCat("layers.", l, ".qkv.weight"));
    frozen.push_back(absl::StrCat("layers.", l, ".qkv.bias"));
  }
}

void AddSelector(const SelectorOptions& options, Selector& selector, train::StepHooks& hooks) {
  hooks.name = Describe(options);
  hooks.prepare = [&selector](size_t step, nn::ForwardOptions& forward) {
    forward.tap = selector.Tap(step);
  };
  hooks.learn = [&selector](size_t step) { selector.Learn(step); };
  Append(selector.State(), hooks.state);
}

void AddDistiller(const DistilOptions& options, Distiller& distiller, train::StepHooks& hooks) {
  absl::StrAppend(&hooks.name, Describe(options));
  hooks.prepare = [&distiller, before = hooks.prepare](size_t step, nn::ForwardOptions& forward) {
    if (before) before(step, forward);
    distiller.Watch(forward);
  };
  hooks.loss = [&distiller](const nn::Input& inputs) { return distiller.Loss(inputs); };
  hooks.learn = [&distiller, before = hooks.learn](size_t step) {
    if (before) before(step);
    distiller.Learn(step);
  };
  Append(distiller.State(), hooks.state);
}

absl::Status CheckBase(const nn::Network& base) {
  bool intact = base.members == 1 && !base.reader.has_value();
  for (const artifact::LayerPlan& layer : base.plan)
    intact = intact && layer.heads.front().size() == base.geometry.heads;
  if (intact) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "saper: got ", base.members, " members or a pruned base, want one member with every head"));
}

// Everything but what turns the encoder's output into logits.
std::vector<std::string> EncoderParameters(nn::Network& network) {
  std::vector<std::string> names;
  for (const auto& [name, parameter] : nn::NamedParameters(network)) {
    if (!absl::StartsWith(name, "classifier") && !absl::StartsWith(name, "final_norm"))
      names.push_back(name);
  }
  return names;
}

absl::Status TuneClassifier(const train::ExampleSet& data, const HardOptions& options,
                            TuneContext context, nn::Network& network) {
  train::TrainOptions train = options.train;
  const size_t before = train.steps;
  train.steps = options.classifier_steps;
  train.frozen = EncoderParameters(network);
  train.state_path = ClassifierStatePath(train.state_path);
  const auto report = [&](train::TrainProgress progress) {
    progress.step += before;
    progress.steps += before;
    context.progress(progress);
  };
  return train::Train(data, train, context.clock, report, network);
}

absl::Status CheckStudent(const nn::Network& teacher, const nn::Network& network) {
  if (network.members == 1 && teacher.members == 1 && teacher.geometry == network.geometry)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("distillation: got a student of ", network.members, " members and ",
                   network.geometry.layers, " layers, want one member of the teacher's geometry"));
}

}  // namespace

absl::StatusOr<SoftChoice> ChooseSoftly(const nn::Network& base, const train::ExampleSet& data,
                                        const SoftOptions& options, const base::Clock& clock,
                                        const train::ProgressCallback& progress) {
  HYDRA_RETURN_IF_ERROR(CheckBase(base));
  HYDRA_RETURN_IF_ERROR(CheckSelector(options.selector, base.geometry));
  if (options.distil.has_value())
    HYDRA_RETURN_IF_ERROR(CheckDistil(*options.distil, base.geometry));
  SoftChoice choice{.network = nn::Clone(base)};
  Selector selector(base.geometry, options.selector, {options.train.steps, options.train.seed});
  train::TrainOptions train = options.train;
  train.hooks = {};
  AddSelector(options.selector, selector, train.hooks);
  std::optional<Distiller> distiller;
  if (options.distil.has_value()) {
    distiller.emplace(base, *options.distil);
    AddDistiller(*options.distil, *distiller, train.hooks);
  }
  if (options.qkv == QueryKeyValue::kFrozen) FreezeQkv(base, train.frozen);
  HYDRA_RETURN_IF_ERROR(train::Train(data, train, clock, progress, choice.network));
  selector.Tap(train.steps);  // of a run that had ended before
  choice.scores = selector.Scores();
  choice.weights = selector.Weights();
  choice.hardness = selector.Hardness();
  return choice;
}

absl::Status TuneHard(const nn::Network& teacher, const train::ExampleSet& data,
                      const HardOptions& options, TuneContext context, nn::Network& network) {
  train::TrainOptions train = options.train;
  if (options.qkv == QueryKeyValue::kFrozen) FreezeQkv(network, train.frozen);
  std::optional<Distiller> distiller;
  if (options.distil.has_value()) {
    HYDRA_RETURN_IF_ERROR(CheckStudent(teacher, network));
    HYDRA_RETURN_IF_ERROR(CheckDistil(*options.distil, teacher.geometry));
    distiller.emplace(teacher, *options.distil);
    AddDistiller(*options.distil, *distiller, train.hooks);
  }
  if (train.steps > 0)
    HYDRA_RETURN_IF_ERROR(train::Train(data, train, context.clock, context.progress, network));
  if (!distiller.has_value() || options.classifier_steps == 0) return absl::OkStatus();
  return TuneClassifier(data, options, context, network);
}

std::string ClassifierStatePath(const std::string& state_path) {
  return state_path.empty() ? "" : absl::StrCat(state_path, ".classifier");
}

}  // namespace hydra::saper
