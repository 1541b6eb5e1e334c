// Hugging Face checkpoints (config.json + model.safetensors, as save_pretrained writes them) of ViT
// and DeiT.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/artifact/image_settings.h"
#include "model/nn/network.h"

namespace hydra::nn {

struct Checkpoint {
  std::string family;  // "vit" or "deit"
  Network network;     // M = 1, every head
  std::vector<std::string> labels;
  artifact::ImageSettings image_settings;
  std::string digest;  // sha256 of model.safetensors
};

// Reads a checkpoint directory.  Image settings come from preprocessor_config.json, else from
// image_mean and image_std in config.json, else ViT's default (mean 0.5, stddev 0.5).  Files of
// float32, float16 and bfloat16. Errors: NOT_FOUND a missing file; UNIMPLEMENTED a family, head or
// activation that is not supported (says what is); INVALID_ARGUMENT a malformed file or a tensor
// that does not fit the configuration (names it).
absl::StatusOr<Checkpoint> ImportCheckpoint(const std::string& directory);

// Writes config.json, preprocessor_config.json and model.safetensors (float32) so that
// `transformers` loads them. `directory` must exist.  Errors: FAILED_PRECONDITION a network with
// more than one member or missing heads; INTERNAL the system's reason.
absl::Status ExportCheckpoint(const Checkpoint& checkpoint, const std::string& directory);

}  // namespace hydra::nn
