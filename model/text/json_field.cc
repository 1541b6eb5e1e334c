#include "model/text/json_field.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace hydra::text {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 8;
constexpr size_t kMaxValues = 512;
constexpr size_t kMaxStringBytes = 256;
constexpr size_t kMaxShownBytes = 80;

bool SpendOn(const json& value, int depth, size_t& budget) {
  if (depth > kMaxDepth || budget == 0) return false;
  --budget;
  if (value.is_string()) return value.get_ref<const std::string&>().size() <= kMaxStringBytes;
  if (!value.is_structured()) return true;
  for (const auto& [name, member] : value.items()) {
    if (name.size() > kMaxStringBytes || !SpendOn(member, depth + 1, budget)) return false;
  }
  return true;
}

}  // namespace

const json& Field(const json& object, const char* name) {
  static const json null;
  if (!object.is_object()) return null;
  const auto found = object.find(name);
  return found == object.end() ? null : *found;
}

std::string Shown(const json& value) {
  if (value.is_structured() && !IsSmall(value)) {
    return absl::StrCat(value.is_array() ? "an array of " : "an object of ", value.size());
  }
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > kMaxShownBytes) text.replace(kMaxShownBytes - 3, std::string::npos, "...");
  return text;
}

absl::Status WantField(absl::string_view name, const json& value, absl::string_view wanted) {
  return absl::FailedPreconditionError(absl::StrCat("tokenizer.json: ", name.substr(0, 80),
                                                    ": got ", Shown(value), ", want ", wanted));
}

bool IsSmall(const json& value) {
  size_t budget = kMaxValues;
  return SpendOn(value, 0, budget);
}

}  // namespace hydra::text
