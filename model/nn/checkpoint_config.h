// config.json and preprocessor_config.json of a Hugging Face checkpoint.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/artifact/image_settings.h"
#include "model/artifact/manifest.h"

namespace hydra::nn {

struct CheckpointConfig {
  std::string family;
  artifact::Geometry geometry;
  size_t prefix_tokens = 1;  // CLS; 2 with DeiT's distillation token
  std::vector<std::string> labels;
  artifact::ImageSettings image_settings;
};

// Errors: UNIMPLEMENTED what is not supported, with what is; INVALID_ARGUMENT a missing or
// malformed key (names it). `preprocessor_json` may be empty: no such file.
absl::StatusOr<CheckpointConfig> ParseCheckpointConfig(const std::string& config_json,
                                                       const std::string& preprocessor_json);

// The two files, as `transformers` reads them.
std::string FormatConfig(const CheckpointConfig& config);
std::string FormatPreprocessor(const CheckpointConfig& config);

}  // namespace hydra::nn
