#include "model/base/status_macros.h"
#include "model/builder/cli/command.h"
#include "model/builder/cli/given.h"
#include "model/builder/recipe/dry_run.h"
#include "model/builder/recipe/pipeline.h"
#include "model/builder/recipe/recipe.h"
#include "model/builder/recipe/wrap.h"

namespace hydra::builder {
namespace {

struct BuildGiven {
  std::string recipe;
  std::string work;
  std::string out;
  bool dry_run = false;
};

struct WrapGiven {
  WrapOptions options;
  std::string work;
  std::string out;
};

std::string WorkOf(const std::string& work, const std::string& out) {
  return work.empty() ? out + ".work" : work;
}

absl::Status Build(const BuildGiven& given, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const Recipe recipe, ReadRecipe(given.recipe));
  if (given.dry_run) return DryRun(recipe, context);
  return BuildBundle(recipe, WorkOf(given.work, given.out), given.out, context);
}

absl::Status Wrap(const WrapGiven& given, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const Recipe recipe, WrapRecipe(given.options));
  return BuildBundle(recipe, WorkOf(given.work, given.out), given.out, context);
}

void BindWrap(CLI::App& command, WrapGiven& given) {
  WrapOptions& options = given.options;
  command.add_option("--checkpoint", options.checkpoint, "fine-tuned checkpoint directory")
      ->required();
  command
      .add_option("--data", options.held_out,
                  "labelled data that the checkpoint was not trained on: idx:IMAGES,LABELS | "
                  "image_folder:DIR | csv:FILE | jsonl:FILE")
      ->required();
  command.add_option("--test", options.test, "test set; else a part of --data is measured");
  command.add_option("--ood", options.ood, "out-of-distribution set NAME=SPEC");
  command.add_option("--name", options.name, "name of the bundle")->capture_default_str();
  command.add_flag("--bf16", options.bf16, "certify bfloat16 too");
  command.add_option("--policy-risk", options.policy_risk,
                     "target risk of the bundle's policy; 0: none");
  command.add_option("--work", given.work, "where steps keep their outputs; default: OUT.work");
  AddOut(command, given.out, "directory of the bundle");
}

}  // namespace

void AddPipelineCommands(CLI::App& app, Action& action) {
  AddCommand<BuildGiven>(
      app, action, {"build", "run a whole recipe; steps that are done are not run again"},
      [](CLI::App& command, BuildGiven& given) {
        command.add_option("recipe", given.recipe, "YAML file")->required();
        command.add_option("--work", given.work,
                           "where steps keep their outputs; default: OUT.work");
        command.add_flag("--dry-run", given.dry_run,
                         "read everything that the recipe names and run its base; write nothing");
        AddOut(command, given.out, "directory of the bundle");
      },
      Build);
  AddCommand<WrapGiven>(
      app, action, {"wrap", "calibrate and pack a fine-tuned checkpoint as it is"}, BindWrap, Wrap);
}

}  // namespace hydra::builder
