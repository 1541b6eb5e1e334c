// The subcommands of hydra-builder: each fills its options and runs one step.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

// Options that every subcommand takes.
struct ProgramOptions {
  size_t threads = 1;
};

// Set by the callback of the subcommand that was given.
using Action = std::function<absl::Status(StepContext)>;

// One flag per field; flags left out keep the defaults.
void AddFlags(CLI::App& app, const std::vector<OptionField>& fields);

// Each adds its subcommand to `app`; parsing it sets `action`, which outlives the parser.
void AddTrainCommand(CLI::App& app, Action& action);

}  // namespace hydra::builder
