// Values that a subcommand's flags fill.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "CLI/CLI.hpp"
#include "model/builder/cli/command.h"

namespace hydra::builder {

struct CommandText {
  std::string name;
  std::string help;
};

// Adds a subcommand whose flags fill a `Given`.  `bind(command, given)` adds the flags; `run(given,
// context)` is the action.  The values are co-owned by the parser's options and the action.
template <typename Given, typename Bind, typename Run>
void AddCommand(CLI::App& app, Action& action, const CommandText& text, Bind bind, Run run) {
  CLI::App* command = app.add_subcommand(text.name, text.help);
  auto given = std::make_shared<Given>();
  bind(*command, *given);
  command->callback([given, run, &action] {
    action = [given, run](StepContext context) { return run(*given, context); };
  });
}

inline void AddOut(CLI::App& command, std::string& out, const std::string& help) {
  command.add_option("--out", out, help)->required();
}

inline void AddShard(CLI::App& command, std::string& shard) {
  command.add_option("--shard", shard, "I/N: do part I of N, for merge-shards");
}

}  // namespace hydra::builder
