// The subcommands of hydra-builder: each fills its options and runs one step.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

// Set by the callback of the subcommand that was given.
using Action = std::function<absl::Status(StepContext)>;

// One flag per field; flags left out keep the defaults.
void AddFlags(CLI::App& app, const std::vector<OptionField>& fields);

// Each adds its subcommands to `app`; parsing one sets `action`, which outlives the parser.
void AddNetworkCommands(CLI::App& app, Action& action);   // train, score, select, finetune, merge
void AddQualityCommands(CLI::App& app, Action& action);   // interpret, calibrate, evaluate
void AddZeroShotCommands(CLI::App& app, Action& action);  // align, prompts, zeroshot-report
void AddBundleCommands(CLI::App& app, Action& action);    // pack, verify, inspect, report
void AddPipelineCommands(CLI::App& app, Action& action);  // build, wrap

}  // namespace hydra::builder
