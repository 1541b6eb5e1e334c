// Reading parsed JSON of unknown origin without exceptions.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace hydra::text {

// The member `name`, or null when `object` is no object or has none.  Lives as long as `object`.
const nlohmann::json& Field(const nlohmann::json& object, const char* name);

// `value` as JSON for a message: at most 80 bytes, whatever its size and depth.
std::string Shown(const nlohmann::json& value);

// FAILED_PRECONDITION: "tokenizer.json: NAME: got VALUE, want WANTED".
absl::Status WantField(absl::string_view name, const nlohmann::json& value,
                       absl::string_view wanted);

// At most 8 levels, 512 values and 256 bytes a string: what a component of a tokenizer may hold.
bool IsSmall(const nlohmann::json& value);

}  // namespace hydra::text
