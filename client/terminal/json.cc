#include "client/terminal/json.h"

#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"

namespace hydra::terminal {

nlohmann::ordered_json ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) {
    return nlohmann::ordered_json::object();
  }
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(text, nullptr, false);
  return json.is_discarded() ? nlohmann::ordered_json::object() : json;
}

std::string JsonLine(const nlohmann::ordered_json& json) {
  return absl::StrCat(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                      "\n");
}

}  // namespace hydra::terminal
