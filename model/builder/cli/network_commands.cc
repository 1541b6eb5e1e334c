#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/builder/cli/command.h"
#include "model/builder/cli/given.h"
#include "model/builder/recipe/recipe.h"
#include "model/builder/steps/finetune_step.h"
#include "model/builder/steps/merge_step.h"
#include "model/builder/steps/score_step.h"
#include "model/builder/steps/select_step.h"
#include "model/builder/steps/train_step.h"

namespace hydra::builder {
namespace {

struct TrainGiven {
  DataOptions data;
  TrainStepOptions options;
  std::string recipe;
  std::string out;
  std::string state;
};

struct ScoreGiven {
  DataOptions data;
  ScoreStepOptions options;
  std::string base;
  std::string shard;
  std::string out;
};

struct SelectGiven {
  SelectStepOptions options;
  std::string scores;
  std::string out;
};

struct FinetuneGiven {
  DataOptions data;
  FinetuneStepOptions options;
  FinetuneInputs inputs;
  std::string out;
};

struct MergeGiven {
  DataOptions data;
  MergeStepOptions options;
  std::string members;
  std::string out;
};

absl::Status Train(const TrainGiven& given, StepContext context) {
  const std::string state = given.state.empty() ? given.out + ".state" : given.state;
  if (given.recipe.empty()) return RunTrain(given.data, given.options, given.out, state, context);
  HYDRA_ASSIGN_OR_RETURN(const Recipe recipe, ReadRecipe(given.recipe));
  if (!recipe.base.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(given.recipe, ": has a base, want a recipe with train"));
  }
  return RunTrain(recipe.data, recipe.train, given.out, state, context);
}

void AddTrain(CLI::App& app, Action& action) {
  AddCommand<TrainGiven>(
      app, action, {"train", "train a ViT from random parameters"},
      [](CLI::App& command, TrainGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        AddOut(command, given.out, "directory of the checkpoint and train.json");
        command.add_option("--recipe", given.recipe,
                           "take data and options from a recipe instead of the flags");
        command.add_option("--state", given.state,
                           "file from which an interrupted run goes on; default: OUT.state");
      },
      Train);
}

void AddScore(CLI::App& app, Action& action) {
  AddCommand<ScoreGiven>(
      app, action, {"score", "score the heads of a checkpoint, for each member"},
      [](CLI::App& command, ScoreGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        command.add_option("--base", given.base, "checkpoint directory")->required();
        AddShard(command, given.shard);
        AddOut(command, given.out, "directory of scores.json");
      },
      [](const ScoreGiven& given, StepContext context) -> absl::Status {
        ScoreStepOptions options = given.options;
        HYDRA_ASSIGN_OR_RETURN(options.shard, ParseShard(given.shard));
        return RunScore(given.data, options, given.base, given.out, context);
      });
}

void AddSelect(CLI::App& app, Action& action) {
  AddCommand<SelectGiven>(
      app, action, {"select", "choose the heads that each member keeps"},
      [](CLI::App& command, SelectGiven& given) {
        AddFlags(command, Fields(given.options));
        command.add_option("--scores", given.scores, "output of score")->required();
        AddOut(command, given.out, "directory of heads.json");
      },
      [](const SelectGiven& given, StepContext context) {
        return RunSelect(given.options, given.scores, given.out, context);
      });
}

void AddFinetune(CLI::App& app, Action& action) {
  AddCommand<FinetuneGiven>(
      app, action, {"finetune", "tune the members with the heads they keep"},
      [](CLI::App& command, FinetuneGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        command.add_option("--base", given.inputs.base, "checkpoint directory")->required();
        command.add_option("--heads", given.inputs.heads, "output of select")->required();
        command.add_option("--teacher", given.inputs.teacher,
                           "with --distil: the checkpoint that is learnt; default: the base");
        command.add_option("--ensemble-teacher", given.inputs.ensemble_teachers,
                           "checkpoint that a member learns from; once per member, with "
                           "--ensemble-distillation");
        AddOut(command, given.out, "directory of the members");
      },
      [](const FinetuneGiven& given, StepContext context) {
        return RunFinetune(given.data, given.options, given.inputs, given.out, context);
      });
}

void AddMerge(CLI::App& app, Action& action) {
  AddCommand<MergeGiven>(
      app, action, {"merge", "put the members into one network"},
      [](CLI::App& command, MergeGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        command.add_option("--members", given.members, "output of finetune")->required();
        AddOut(command, given.out, "directory of the network");
      },
      [](const MergeGiven& given, StepContext context) {
        return RunMerge(given.data, given.options, given.members, given.out, context);
      });
}

}  // namespace

void AddNetworkCommands(CLI::App& app, Action& action) {
  AddTrain(app, action);
  AddScore(app, action);
  AddSelect(app, action);
  AddFinetune(app, action);
  AddMerge(app, action);
}

}  // namespace hydra::builder
