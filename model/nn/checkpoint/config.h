// config.json and preprocessor_config.json of a Hugging Face checkpoint.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/artifact/image_settings.h"
#include "model/artifact/manifest.h"
#include "model/nn/checkpoint/layout.h"

namespace hydra::nn {

// One encoder of a checkpoint: its geometry and where its tensors lie.
struct EncoderConfig {
  artifact::Geometry geometry;  // 0 classes: a checkpoint without a classifier
  std::string pooling = "cls";
  bool causal = false;
  size_t prefix_tokens = 0;      // images
  size_t skipped_positions = 0;  // RoBERTa's table begins with rows for padding
  std::string root;              // "vit." or empty
  std::string other_root;        // where another class or release puts it; empty: nowhere else
  EncoderLayout layout;
  HeadLayout head;
};

struct CheckpointConfig {
  std::string family;
  EncoderConfig encoder;                   // that a bundle serves
  std::vector<std::string> labels;         // empty without a classifier
  artifact::ImageSettings image_settings;  // of image families
};

// Errors: UNIMPLEMENTED what is not supported, with what is; INVALID_ARGUMENT a missing or
// malformed key (names it). `preprocessor_json` may be empty: no such file.
absl::StatusOr<CheckpointConfig> ParseCheckpointConfig(const std::string& config_json,
                                                       const std::string& preprocessor_json);

// The text side of a CLIP or VisionTextDualEncoder checkpoint.
absl::StatusOr<EncoderConfig> ParseTextSide(const std::string& config_json);

// `config_json` of a float32 file with these classes, the architecture of a classifier of its
// family and the geometry's image size.  Errors: as ParseCheckpointConfig; UNIMPLEMENTED a family
// that has no classifier.
absl::StatusOr<std::string> FormatConfig(const std::string& config_json,
                                         const artifact::Geometry& geometry,
                                         const std::vector<std::string>& labels);

// Geometry::pooler of a classifier of the family of `config_json`.  Errors: as FormatConfig.
absl::StatusOr<std::string> ClassifierPooler(const std::string& config_json);

// config.json of a ViT, as `transformers` reads it.
std::string FormatVitConfig(const artifact::Geometry& geometry,
                            const std::vector<std::string>& labels);

}  // namespace hydra::nn
