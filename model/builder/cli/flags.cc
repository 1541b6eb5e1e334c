#include "absl/strings/str_cat.h"
#include "model/builder/cli/command.h"

namespace hydra::builder {
namespace {

void AddFlag(CLI::App& app, const OptionField& field, bool* target) {
  const std::string flag = FlagOf(field.name);
  app.add_flag(absl::StrCat(flag, ",!--no-", flag.substr(2)), *target, field.help);
}

template <typename Value>
void AddFlag(CLI::App& app, const OptionField& field, Value* target) {
  app.add_option(FlagOf(field.name), *target, field.help)->capture_default_str();
}

}  // namespace

void AddFlags(CLI::App& app, const std::vector<OptionField>& fields) {
  for (const OptionField& field : fields) {
    std::visit([&](auto* target) { AddFlag(app, field, target); }, field.target);
  }
}

}  // namespace hydra::builder
