#include "model/base/status_macros.h"
#include "model/builder/cli/command.h"
#include "model/builder/cli/given.h"
#include "model/builder/zeroshot/align_step.h"
#include "model/builder/zeroshot/prompts_step.h"
#include "model/builder/zeroshot/report_step.h"

namespace hydra::builder {
namespace {

struct PromptsGiven {
  DataOptions data;
  PromptsStepOptions options;
  std::string checkpoint;
  std::string out;
};

struct AlignGiven {
  DataOptions data;
  AlignStepOptions options;
  PromptsStepOptions prompts;
  std::string out;
};

struct ZeroShotGiven {
  DataOptions data;
  ZeroShotStepOptions options;
  ZeroShotInputs inputs;
  std::string out;
};

void AddReport(CLI::App& app, Action& action) {
  AddCommand<ZeroShotGiven>(
      app, action, {"zeroshot-report", "compare scores that tell when a zero-shot answer is wrong"},
      [](CLI::App& command, ZeroShotGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        command.add_option("--single", given.inputs.single, "output of prompts")->required();
        command.add_option("--network", given.inputs.network, "output of merge")->required();
        command.add_option("--ledger", given.inputs.ledger, "file of final evaluations")
            ->required();
        AddOut(command, given.out, "directory of zeroshot.json");
      },
      [](const ZeroShotGiven& given, StepContext context) {
        return RunZeroShot(given.data, given.options, given.inputs, given.out, context);
      });
}

void AddAlign(CLI::App& app, Action& action) {
  AddCommand<AlignGiven>(
      app, action, {"align", "train a ViT towards the texts of a frozen encoder"},
      [](CLI::App& command, AlignGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        AddFlags(command, Fields(given.prompts));
        AddOut(command, given.out, "directory of the VisionTextDualEncoder checkpoint");
      },
      [](AlignGiven given, StepContext context) -> absl::Status {
        HYDRA_RETURN_IF_ERROR(ReadNamesFile(given.prompts));
        return RunAlign(given.data, given.options, given.prompts, given.out, context);
      });
}

}  // namespace

void AddZeroShotCommands(CLI::App& app, Action& action) {
  AddAlign(app, action);
  AddReport(app, action);
  AddCommand<PromptsGiven>(
      app, action, {"prompts", "make a zero-shot classifier from the names of classes"},
      [](CLI::App& command, PromptsGiven& given) {
        command.add_option("--label-names", given.data.label_names, "labels of the classes");
        AddFlags(command, Fields(given.options));
        command.add_option("--base", given.checkpoint, "CLIP or VisionTextDualEncoder checkpoint")
            ->required();
        AddOut(command, given.out, "directory of the network and prompts.json");
      },
      [](PromptsGiven given, StepContext context) -> absl::Status {
        HYDRA_RETURN_IF_ERROR(ReadNamesFile(given.options));
        return RunPrompts(given.data, given.options, given.checkpoint, given.out, context);
      });
}

}  // namespace hydra::builder
