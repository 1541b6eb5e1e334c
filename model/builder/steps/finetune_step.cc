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
#include "model/builder/steps/finetune_targets.h"
#include "model/builder/steps/trainer_options.h"
#include "model/builder/steps/training_watch.h"
#include "model/ensemble/tie_blocks.h"
#include "model/saper/saper.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

constexpr size_t kMaxHeadsBytes = size_t{256} << 20;
constexpr size_t kMeasuresPerRun = 4;

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

absl::StatusOr<std::vector<nn::Network>> ReadTeachers(const FinetuneStepOptions& options,
                                                      const std::vector<std::string>& teachers) {
  std::vector<nn::Network> networks;
  if (options.ensemble_distillation == 0.0) return networks;
  for (const std::string& directory : teachers) {
    HYDRA_ASSIGN_OR_RETURN(const StoredNetwork teacher, ReadNetwork(directory));
    networks.push_back(teacher.network);
  }
  return networks;
}

std::string StatePath(const StepDirectory& directory, const FinetuneTarget& target) {
  return absl::StrCat(directory.path(), ".", target.name, ".state");
}

// What all targets are tuned with; refers to what it is given.
struct Schooling {
  const FinetuneStepOptions& options;
  const nn::Network& teacher;
  const Pool& pool;
  std::vector<nn::Network> ensemble_teachers;
};

absl::StatusOr<saper::HardOptions> HardOf(const Schooling& schooling, const FinetuneTarget& target,
                                          const std::string& state_path) {
  const FinetuneStepOptions& options = schooling.options;
  saper::HardOptions hard{
      .train = TrainerOptions(
          options, {.steps = options.steps, .seed = target.seed, .state_path = state_path}),
      .qkv = options.freeze_qkv ? saper::QueryKeyValue::kFrozen : saper::QueryKeyValue::kTuned,
      .classifier_steps = options.classifier_steps};
  train::TrainOptions& trainer = hard.train;
  trainer.bootstrap = options.bootstrap;
  trainer.frozen = target.frozen;
  trainer.frozen_trunk = target.frozen_trunk;
  trainer.diversity = options.diversity;
  trainer.exposure = options.exposure;
  trainer.distillation = options.ensemble_distillation;
  trainer.teachers = schooling.ensemble_teachers;
  if (!options.distil) return hard;
  hard.distil =
      saper::DistilOptions{.layers = options.distil_layers, .learning_rate = options.distil_lr};
  HYDRA_ASSIGN_OR_RETURN(hard.distil->target, saper::ParseDistilTarget(options.distil_target));
  return hard;
}

absl::Status Tune(const Schooling& schooling, const std::string& state_path, FinetuneTarget& target,
                  LearningCurve& curve, StepContext context) {
  const FinetuneStepOptions& options = schooling.options;
  if (options.steps == 0) return absl::OkStatus();
  const LabelledData train_data = schooling.pool.Select("train");
  const LabelledData held_out = schooling.pool.Select("select");
  nn::Network& network = target.stored.network;
  TrainingWatch watch({target.what, std::max<size_t>(1, options.steps / kMeasuresPerRun)}, network,
                      held_out, curve, context.console);
  HYDRA_ASSIGN_OR_RETURN(const saper::HardOptions hard, HardOf(schooling, target, state_path));
  const train::ProgressCallback report = [&](const train::TrainProgress& progress) {
    watch.OnStep(progress);
  };
  HYDRA_RETURN_IF_ERROR(saper::TuneHard(schooling.teacher, train_data.examples, hard,
                                        {context.clock, report}, network));
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
  HYDRA_ASSIGN_OR_RETURN(std::vector<FinetuneTarget> targets,
                         MakeTargets(options, network, choice));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork teacher, ReadTeacher(inputs, network));
  FinetuneStepOptions copy = options;
  nlohmann::ordered_json record = {{"step", "finetune"},
                                   {"options", OptionsJson(Fields(copy))},
                                   {"curves", nullptr},
                                   {"distinct_parameters", nullptr}};
  Schooling schooling{options, teacher.network, pool, {}};
  HYDRA_ASSIGN_OR_RETURN(schooling.ensemble_teachers,
                         ReadTeachers(options, inputs.ensemble_teachers));
  for (FinetuneTarget& target : targets) {
    const std::string state = StatePath(directory, target);
    HYDRA_ASSIGN_OR_RETURN(LearningCurve curve, LearningCurve::Open(CurvePath(state)));
    HYDRA_RETURN_IF_ERROR(Tune(schooling, state, target, curve, context));
    HYDRA_RETURN_IF_ERROR(
        WriteNetwork(target.stored, absl::StrCat(directory.temporary(), "/", target.name)));
    record["curves"][target.name] = curve.ToJson();
    record["distinct_parameters"][target.name] =
        ensemble::DistinctParameters(target.stored.network);
  }
  HYDRA_RETURN_IF_ERROR(directory.Write("finetune.json", record.dump(2) + "\n"));
  HYDRA_RETURN_IF_ERROR(directory.Write("heads.json", EncodeHeadChoice(KeptBy(targets, choice))));
  HYDRA_RETURN_IF_ERROR(directory.Commit());
  for (const FinetuneTarget& target : targets) {
    const std::string state = StatePath(directory, target);
    HYDRA_RETURN_IF_ERROR(RemoveState(state));
    HYDRA_RETURN_IF_ERROR(RemoveState(saper::ClassifierStatePath(state)));
  }
  return absl::OkStatus();
}

}  // namespace hydra::builder
