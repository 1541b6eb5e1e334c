#include "model/builder/cli/command.h"
#include "model/builder/steps/train_step.h"

namespace hydra::builder {
namespace {

struct Given {
  DataOptions data;
  TrainStepOptions options;
  std::string out;
  std::string state;
};

}  // namespace

void AddTrainCommand(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("train", "train a ViT from random parameters");
  auto given = std::make_shared<Given>();  // co-owned by the parser's options and the action
  AddFlags(*command, Fields(given->data));
  AddFlags(*command, Fields(given->options));
  command->add_option("--out", given->out, "directory of the checkpoint and train.json")
      ->required();
  command->add_option("--state", given->state,
                      "file from which an interrupted run goes on; default: OUT.state");
  command->callback([given, &action] {
    if (given->state.empty()) given->state = given->out + ".state";
    action = [given](StepContext context) {
      return RunTrain(given->data, given->options, given->out, given->state, context);
    };
  });
}

}  // namespace hydra::builder
