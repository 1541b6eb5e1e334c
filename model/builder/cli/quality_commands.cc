#include "model/base/status_macros.h"
#include "model/builder/calibrating/calibrate_step.h"
#include "model/builder/cli/command.h"
#include "model/builder/cli/given.h"
#include "model/builder/evaluation/evaluate_step.h"
#include "model/builder/interpreting/interpret_step.h"
#include "model/builder/sharding/merge_shards.h"

namespace hydra::builder {
namespace {

struct CalibrateGiven {
  DataOptions data;
  CalibrateStepOptions options;
  std::string network;
  std::string out;
};

struct EvaluateGiven {
  DataOptions data;
  EvaluateStepOptions options;
  EvaluateInputs inputs;
  std::string shard;
  std::string out;
};

struct MergeShardsGiven {
  std::vector<std::string> shards;
  std::string out;
};

struct InterpretGiven {
  DataOptions data;
  InterpretStepOptions options;
  std::string base;
  std::string out;
};

void AddInputs(CLI::App& command, EvaluateInputs& inputs) {
  command.add_option("--network", inputs.network, "network of the ensemble")->required();
  command.add_option("--calibration", inputs.calibration, "output of calibrate")->required();
  command.add_option("--base", inputs.base, "checkpoint of the single model to compare with");
  command.add_option("--deep-ensemble", inputs.deep_ensemble,
                     "checkpoints whose mean is the deep ensemble to compare with");
  command.add_option("--random-masks", inputs.random_masks,
                     "network made with random heads to compare with");
  command.add_option("--ledger", inputs.ledger, "file that every final evaluation is entered in");
}

void AddInterpret(CLI::App& app, Action& action) {
  AddCommand<InterpretGiven>(
      app, action, {"interpret", "cluster the heads of a base, measure and map them"},
      [](CLI::App& command, InterpretGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        command.add_option("--base", given.base, "checkpoint directory")->required();
        AddOut(command, given.out, "directory of interpret.json");
      },
      [](const InterpretGiven& given, StepContext context) {
        return RunInterpret(given.data, given.options, given.base, given.out, context);
      });
}

}  // namespace

void AddQualityCommands(CLI::App& app, Action& action) {
  AddInterpret(app, action);
  AddCommand<CalibrateGiven>(
      app, action, {"calibrate", "fit the temperature, certify thresholds, size conformal sets"},
      [](CLI::App& command, CalibrateGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        command.add_option("--network", given.network, "output of merge, or a checkpoint")
            ->required();
        AddOut(command, given.out, "directory of calibration.json");
      },
      [](const CalibrateGiven& given, StepContext context) {
        return RunCalibrate(given.data, given.options, given.network, given.out, context);
      });
  AddCommand<EvaluateGiven>(
      app, action, {"evaluate", "measure the ensemble beside its baselines"},
      [](CLI::App& command, EvaluateGiven& given) {
        AddFlags(command, Fields(given.data));
        AddFlags(command, Fields(given.options));
        AddInputs(command, given.inputs);
        AddShard(command, given.shard);
        AddOut(command, given.out, "directory of evaluation.json and predictions");
      },
      [](const EvaluateGiven& given, StepContext context) -> absl::Status {
        EvaluateStepOptions options = given.options;
        HYDRA_ASSIGN_OR_RETURN(options.shard, ParseShard(given.shard));
        return RunEvaluate(given.data, options, given.inputs, given.out, context);
      });
  AddCommand<MergeShardsGiven>(
      app, action, {"merge-shards", "put the outputs of score or evaluate --shard together"},
      [](CLI::App& command, MergeShardsGiven& given) {
        command.add_option("shards", given.shards, "output of every shard, in any order")
            ->required();
        AddOut(command, given.out, "directory of what the step without shards writes");
      },
      [](const MergeShardsGiven& given, StepContext context) {
        return MergeShards(given.shards, given.out, context);
      });
}

}  // namespace hydra::builder
