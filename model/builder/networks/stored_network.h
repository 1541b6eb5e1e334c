// Networks between steps: Hugging Face checkpoints, and directories of the builder's own with any
// number of members and heads.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/artifact/image_settings.h"
#include "model/nn/network.h"

namespace hydra::builder {

struct StoredNetwork {
  std::string family;
  nn::Network network;
  std::vector<std::string> labels;
  artifact::ImageSettings image_settings;
  std::string base_digest;  // sha256 of the checkpoint's model.safetensors
};

// A checkpoint if `directory` holds config.json, else manifest.json, labels.json, image.json and
// weights.safetensors as WriteNetwork makes them.
// Errors: as nn::ImportCheckpoint, artifact's parsers and ensemble::DecodeWeights.
absl::StatusOr<StoredNetwork> ReadNetwork(const std::string& directory);

// Creates `directory`.  Errors: INTERNAL the system's reason.
absl::Status WriteNetwork(const StoredNetwork& stored, const std::string& directory);

}  // namespace hydra::builder
