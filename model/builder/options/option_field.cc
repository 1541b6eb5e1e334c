#include "model/builder/options/option_field.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {

nlohmann::ordered_json OptionsJson(const std::vector<OptionField>& fields) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const OptionField& field : fields) {
    std::visit([&](const auto* target) { json[field.name] = *target; }, field.target);
  }
  return json;
}

std::string FlagOf(const std::string& name) {
  return absl::StrCat("--", absl::StrReplaceAll(name, {{"_", "-"}}));
}

}  // namespace hydra::builder
