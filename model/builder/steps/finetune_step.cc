#include "model/builder/steps/finetune_step.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/head_choice.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/source/pool.h"
#include "model/builder/steps/trainer_options.h"
#include "model/builder/steps/training_watch.h"
#include "model/ensemble/merge.h"
#include "model/ensemble/prune.h"
#include "model/ensemble/tie_blocks.h"
#include "model/saper/saper.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

constexpr size_t kMaxHeadsBytes = size_t{256} << 20;
constexpr size_t kMeasuresPerRun = 4;

// One network to tune, with its place in the output and in messages.
struct Target {
  std::string name;  // "member-0" or "joint"
  std::string what;  // "finetune member 1 of 3"
  size_t seed = 0;
  StoredNetwork stored;
  std::string state_path;
};

absl::StatusOr<HeadChoice> ReadHeads(const std::string& heads, const StoredNetwork& base) {
  HYDRA_ASSIGN_OR_RETURN(const std::string text,
                         base::ReadFile(heads + "/heads.json", kMaxHeadsBytes));
  HYDRA_ASSIGN_OR_RETURN(HeadChoice choice, ParseHeadChoice(text));
  if (choice.scores.base_digest != base.base_digest) {
    return absl::FailedPreconditionError(
        absl::StrCat(heads, "/heads.json: made for the checkpoint ", choice.scores.base_digest,
                     ", got the checkpoint ", base.base_digest));
  }
  return choice;
}

absl::StatusOr<StoredNetwork> ReadTeacher(const FinetuneInputs& inputs, const StoredNetwork& base) {
  if (inputs.teacher.empty() || inputs.teacher == inputs.base) return base;
  return ReadNetwork(inputs.teacher);
}

absl::StatusOr<std::vector<Target>> MakeTargets(const FinetuneStepOptions& options,
                                                const StoredNetwork& base,
                                                const HeadChoice& choice) {
  std::vector<nn::Network> members;
  for (const auto& kept : choice.kept) {
    HYDRA_ASSIGN_OR_RETURN(members.emplace_back(), ensemble::PruneHeads(base.network, kept));
  }
  std::vector<Target> targets;
  if (options.joint) {
    Target& joint = targets.emplace_back(Target{"joint", "finetune joint", options.seed, base});
    HYDRA_ASSIGN_OR_RETURN(joint.stored.network, ensemble::MergeMembers(members, {}));
    return targets;
  }
  for (size_t m = 0; m < members.size(); ++m) {
    Target& target = targets.emplace_back(Target{
        absl::StrCat("member-", m), absl::StrCat("finetune member ", m + 1, " of ", members.size()),
        options.seed * 1000 + m, base});
    target.stored.network = std::move(members[m]);
  }
  return targets;
}

absl::StatusOr<ensemble::TieMode> ParseTieMode(const std::string& text) {
  if (text == "average") return ensemble::TieMode::kAverage;
  if (text == "first") return ensemble::TieMode::kFirst;
  return absl::InvalidArgumentError(
      absl::StrCat("block_start: got \"", text, "\", want average or first"));
}

absl::Status TieLayers(const FinetuneStepOptions& options, std::vector<Target>& targets) {
  HYDRA_ASSIGN_OR_RETURN(const ensemble::TieMode mode, ParseTieMode(options.block_start));
  if (options.blocks == 0) return absl::OkStatus();
  for (Target& target : targets) {
    nn::Network& network = target.stored.network;
    HYDRA_ASSIGN_OR_RETURN(const std::vector<size_t> lengths,
                           ensemble::EvenBlocks(network.plan.size(), options.blocks));
    HYDRA_ASSIGN_OR_RETURN(network, ensemble::TieBlocks(network, lengths, mode));
  }
  return absl::OkStatus();
}

absl::StatusOr<saper::HardOptions> HardOf(const FinetuneStepOptions& options,
                                          const Target& target) {
  saper::HardOptions hard{
      .train = TrainerOptions(
          options, {.steps = options.steps, .seed = target.seed, .state_path = target.state_path}),
      .qkv = options.freeze_qkv ? saper::QueryKeyValue::kFrozen : saper::QueryKeyValue::kTuned,
      .classifier_steps = options.classifier_steps};
  hard.train.bootstrap = options.bootstrap;
  if (!options.distil) return hard;
  hard.distil =
      saper::DistilOptions{.layers = options.distil_layers, .learning_rate = options.distil_lr};
  HYDRA_ASSIGN_OR_RETURN(hard.distil->target, saper::ParseDistilTarget(options.distil_target));
  return hard;
}

// What all targets are tuned with; refers to what it is given.
struct Tuning {
  const nn::Network& teacher;
  const Pool& pool;
};

absl::Status Tune(const FinetuneStepOptions& options, const Tuning& tuning, Target& target,
                  LearningCurve& curve, StepContext context) {
  if (options.steps == 0) return absl::OkStatus();
  const LabelledData train_data = tuning.pool.Select("train");
  const LabelledData held_out = tuning.pool.Select("select");
  nn::Network& network = target.stored.network;
  TrainingWatch watch({target.what, std::max<size_t>(1, options.steps / kMeasuresPerRun)}, network,
                      held_out, curve, context.console);
  HYDRA_ASSIGN_OR_RETURN(const saper::HardOptions hard, HardOf(options, target));
  const train::ProgressCallback report = [&](const train::TrainProgress& progress) {
    watch.OnStep(progress);
  };
  HYDRA_RETURN_IF_ERROR(
      saper::TuneHard(tuning.teacher, train_data.examples, hard, {context.clock, report}, network));
  return watch.status();
}

}  // namespace

absl::Status RunFinetune(const DataOptions& data, const FinetuneStepOptions& options,
                         const FinetuneInputs& inputs, const std::string& out,
                         StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork network, ReadNetwork(inputs.base));
  HYDRA_ASSIGN_OR_RETURN(const HeadChoice choice, ReadHeads(inputs.heads, network));
  HYDRA_ASSIGN_OR_RETURN(const Pool pool, LoadPool(data, network.inputs, network.labels));
  HYDRA_ASSIGN_OR_RETURN(std::vector<Target> targets, MakeTargets(options, network, choice));
  HYDRA_RETURN_IF_ERROR(TieLayers(options, targets));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork teacher, ReadTeacher(inputs, network));
  FinetuneStepOptions copy = options;
  nlohmann::ordered_json record = {{"step", "finetune"},
                                   {"options", OptionsJson(Fields(copy))},
                                   {"curves", nullptr},
                                   {"distinct_parameters", nullptr}};
  for (Target& target : targets) {
    target.state_path = absl::StrCat(directory.path(), ".", target.name, ".state");
    HYDRA_ASSIGN_OR_RETURN(LearningCurve curve, LearningCurve::Open(CurvePath(target.state_path)));
    HYDRA_RETURN_IF_ERROR(Tune(options, {teacher.network, pool}, target, curve, context));
    HYDRA_RETURN_IF_ERROR(
        WriteNetwork(target.stored, absl::StrCat(directory.temporary(), "/", target.name)));
    record["curves"][target.name] = curve.ToJson();
    record["distinct_parameters"][target.name] =
        ensemble::DistinctParameters(target.stored.network);
  }
  HYDRA_RETURN_IF_ERROR(directory.Write("finetune.json", record.dump(2) + "\n"));
  HYDRA_RETURN_IF_ERROR(directory.Commit());
  for (const Target& target : targets) {
    HYDRA_RETURN_IF_ERROR(RemoveState(target.state_path));
    HYDRA_RETURN_IF_ERROR(RemoveState(saper::ClassifierStatePath(target.state_path)));
  }
  return absl::OkStatus();
}

}  // namespace hydra::builder
