// Messages as JSON objects, one a line.
#pragma once

#include <string>

#include "google/protobuf/message.h"
#include "nlohmann/json.hpp"

namespace hydra::terminal {

// The canonical JSON of protobuf with the fields' own names, defaults written out, unset optional
// fields left out.  An empty object for a message that has no JSON (invalid UTF-8 in a string).
nlohmann::ordered_json ToJson(const google::protobuf::Message& message);

// On one line, ended by a newline; bytes that are not UTF-8 become U+FFFD.
std::string JsonLine(const nlohmann::ordered_json& json);

}  // namespace hydra::terminal
