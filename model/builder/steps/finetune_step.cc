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

absl::StatusOr<std::vector<nn::Network>> ReadTeachers(const FinetuneStepOptions& options,
                                                      const std::vector<std::string>& teachers) {
  std::vector<nn::Network> networks;
  if (options.distillation == 0.0) return networks;
  for (const std::string& directory : teachers) {
    HYDRA_ASSIGN_OR_RETURN(const StoredNetwork teacher, ReadNetwork(directory));
    networks.push_back(teacher.network);
  }
  return networks;
}

std::string StatePath(const StepDirectory& directory, const FinetuneTarget& target) {
  return absl::StrCat(directory.path(), ".", target.name, ".state");
}

// What all targets are tuned with.
struct Schooling {
  const FinetuneStepOptions& options;
  const Pool& pool;
  std::vector<nn::Network> teachers;
};

absl::Status Tune(const Schooling& schooling, const std::string& state_path, FinetuneTarget& target,
                  LearningCurve& curve, StepContext context) {
  const FinetuneStepOptions& options = schooling.options;
  const Pool& pool = schooling.pool;
  if (options.steps == 0) return absl::OkStatus();
  const LabelledData train_data = pool.Select("train"), held_out = pool.Select("select");
  nn::Network& network = target.stored.network;
  TrainingWatch watch({target.what, std::max<size_t>(1, options.steps / kMeasuresPerRun)}, network,
                      held_out, curve, context.console);
  train::TrainOptions trainer = TrainerOptions(
      options, {.steps = options.steps, .seed = target.seed, .state_path = state_path});
  trainer.bootstrap = options.bootstrap;
  trainer.frozen = target.frozen;
  trainer.frozen_trunk = target.frozen_trunk;
  trainer.diversity = options.diversity;
  trainer.exposure = options.exposure;
  trainer.distillation = options.distillation;
  trainer.teachers = schooling.teachers;
  HYDRA_RETURN_IF_ERROR(train::Train(
      train_data.examples, trainer, context.clock,
      [&](const train::TrainProgress& progress) { watch.OnStep(progress); }, network));
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
  FinetuneStepOptions copy = options;
  nlohmann::ordered_json record = {
      {"step", "finetune"}, {"options", OptionsJson(Fields(copy))}, {"curves", nullptr}};
  Schooling schooling{options, pool, {}};
  HYDRA_ASSIGN_OR_RETURN(schooling.teachers, ReadTeachers(options, inputs.teachers));
  for (FinetuneTarget& target : targets) {
    const std::string state = StatePath(directory, target);
    HYDRA_ASSIGN_OR_RETURN(LearningCurve curve, LearningCurve::Open(CurvePath(state)));
    HYDRA_RETURN_IF_ERROR(Tune(schooling, state, target, curve, context));
    HYDRA_RETURN_IF_ERROR(
        WriteNetwork(target.stored, absl::StrCat(directory.temporary(), "/", target.name)));
    record["curves"][target.name] = curve.ToJson();
  }
  HYDRA_RETURN_IF_ERROR(directory.Write("finetune.json", record.dump(2) + "\n"));
  HYDRA_RETURN_IF_ERROR(directory.Write("heads.json", EncodeHeadChoice(KeptBy(targets, choice))));
  HYDRA_RETURN_IF_ERROR(directory.Commit());
  for (const FinetuneTarget& target : targets)
    HYDRA_RETURN_IF_ERROR(RemoveState(StatePath(directory, target)));
  return absl::OkStatus();
}

}  // namespace hydra::builder
