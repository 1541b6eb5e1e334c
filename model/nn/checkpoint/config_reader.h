// Values of a config.json, checked and named in errors.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "model/artifact/manifest.h"
#include "nlohmann/json.hpp"

namespace hydra::nn {

// Errors: INVALID_ARGUMENT text that is no JSON object.
absl::StatusOr<nlohmann::json> ParseObject(const std::string& text, const char* file);

// An integer in 1..2^20; `otherwise` where the key is missing.
absl::StatusOr<size_t> ReadSize(const nlohmann::json& config, const char* key, size_t otherwise);

// Errors: UNIMPLEMENTED an activation that is not supported, with those that are.
absl::StatusOr<std::string> ReadActivation(const nlohmann::json& config, const char* key,
                                           const char* otherwise);

absl::StatusOr<double> ReadEpsilon(const nlohmann::json& config, double otherwise);

// A member that must be an object.
absl::StatusOr<nlohmann::json> ReadObject(const nlohmann::json& config, const char* key);

// True or false; `otherwise` where the key is missing.  Errors: INVALID_ARGUMENT anything else.
absl::StatusOr<bool> ReadFlag(const nlohmann::json& config, const char* key, bool otherwise);

}  // namespace hydra::nn
