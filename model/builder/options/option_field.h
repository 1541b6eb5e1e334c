// The options of a step as one table that the command line, the recipe and the record read.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "nlohmann/json_fwd.hpp"

namespace hydra::builder {

using OptionTarget = std::variant<bool*, size_t*, double*, std::string*, std::vector<size_t>*,
                                  std::vector<double>*, std::vector<std::string>*>;

// The value that `target` points to before reading is the default.
struct OptionField {
  std::string name;  // snake_case, as in the recipe; the flag is "--" with hyphens
  OptionTarget target;
  std::string help;
};

// {name: value} of all fields, for records and for the key of a step.
nlohmann::ordered_json OptionsJson(const std::vector<OptionField>& fields);

// "--learning-rate" of "learning_rate".
std::string FlagOf(const std::string& name);

}  // namespace hydra::builder
