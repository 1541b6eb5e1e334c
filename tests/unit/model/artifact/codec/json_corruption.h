// Corrupts a JSON document at one place at a time, for readers that must notice each.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "absl/status/status.h"

namespace hydra::artifact {

struct CorruptionExpectations {
  std::string file;                      // that every message must name
  std::set<std::string> optional_keys;   // paths that may be absent, array indices written as []
  std::set<std::string> open_objects;    // paths of objects whose keys are free
  std::set<std::string> signed_numbers;  // paths of numbers that may be negative
};

// For every value: null, another type, -1 for a number, an unknown key and a missing key for an
// object.  Each must make `parse` fail with a message that names the file and the path.
void ExpectEveryCorruptionFound(const std::string& text, const CorruptionExpectations& expected,
                                const std::function<absl::Status(const std::string&)>& parse);

}  // namespace hydra::artifact
