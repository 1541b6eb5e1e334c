// What each family of encoders adds to the common description: key names, defaults and flags.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "model/nn/checkpoint/config.h"
#include "nlohmann/json.hpp"

namespace hydra::nn {

struct FamilyMatch {
  std::string family;        // a bundle's family
  std::string architecture;  // the reference's class
  bool classifies = false;   // has a classifier with labels
};

// By model_type and architectures.  Errors: UNIMPLEMENTED what is not supported, with what is.
absl::StatusOr<FamilyMatch> MatchFamily(const nlohmann::json& config);

// Errors: UNIMPLEMENTED, INVALID_ARGUMENT as ParseCheckpointConfig.
absl::StatusOr<EncoderConfig> ReadFamily(const nlohmann::json& config, const FamilyMatch& match);
absl::StatusOr<EncoderConfig> ReadTextSide(const nlohmann::json& config);

// The reference's class of a classifier of this model_type: its own architecture if it is one.
absl::StatusOr<std::string> ClassifierArchitecture(const nlohmann::json& config);

}  // namespace hydra::nn
