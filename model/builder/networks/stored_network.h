// Networks between steps: Hugging Face checkpoints, and directories of the builder's own with any
// number of members and heads.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/source/input_settings.h"
#include "model/nn/network.h"

namespace hydra::builder {

struct StoredNetwork {
  std::string family;
  nn::Network network;
  std::vector<std::string> labels;
  InputSettings inputs;
  std::string base_digest;  // sha256 of the checkpoint's model.safetensors
};

// A checkpoint with its tokenizer if `directory` holds config.json, else what WriteNetwork makes:
// manifest.json, labels.json, weights.safetensors, and image.json or text.json and tokenizer.json.
// Errors: as nn::ImportCheckpoint, text::LoadTokenizerJson, artifact's parsers and
// ensemble::DecodeWeights.
absl::StatusOr<StoredNetwork> ReadNetwork(const std::string& directory);

// Creates `directory`.  Errors: INTERNAL the system's reason.
absl::Status WriteNetwork(const StoredNetwork& stored, const std::string& directory);

}  // namespace hydra::builder
