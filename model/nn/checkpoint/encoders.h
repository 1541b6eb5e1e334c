// The encoder of each model_type: key names, defaults and flags of its config.json.
#pragma once

#include "absl/status/statusor.h"
#include "model/nn/checkpoint/config.h"
#include "nlohmann/json.hpp"

namespace hydra::nn {

// Errors: INVALID_ARGUMENT a value out of range (names the key); UNIMPLEMENTED a variant that is
// not supported (names it, and what is).
absl::StatusOr<EncoderConfig> ReadVit(const nlohmann::json& config);
absl::StatusOr<EncoderConfig> ReadDeit(const nlohmann::json& config);
absl::StatusOr<EncoderConfig> ReadDinov2(const nlohmann::json& config);
absl::StatusOr<EncoderConfig> ReadDinov2Registers(const nlohmann::json& config);
absl::StatusOr<EncoderConfig> ReadBert(const nlohmann::json& config);
absl::StatusOr<EncoderConfig> ReadRoberta(const nlohmann::json& config);
absl::StatusOr<EncoderConfig> ReadDistilBert(const nlohmann::json& config);
absl::StatusOr<EncoderConfig> ReadClipVision(const nlohmann::json& config);
absl::StatusOr<EncoderConfig> ReadClipText(const nlohmann::json& config);

}  // namespace hydra::nn
