// Writing a VisionTextDualEncoder checkpoint: an image encoder beside a text encoder.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "absl/status/status.h"
#include "model/artifact/image_settings.h"
#include "model/nn/network.h"

namespace hydra::nn {

struct DualEncoder {
  Network image;  // a ViT with pooler "tanh" and a projection [1, E, D]; a classifier is left out
  artifact::ImageSettings image_settings;
  std::string text;            // directory of a BERT or RoBERTa checkpoint, copied as it is
  at::Tensor text_projection;  // [E, D of the texts]
  double logit_scale = 1.0;
};

// Writes config.json, preprocessor_config.json and model.safetensors (float32) as `transformers`
// reads them, and ImportCheckpoint and ImportTextSide.  `directory` must exist.
// Errors: INVALID_ARGUMENT an image side of another kind; UNIMPLEMENTED a text encoder of another
// family or without a pooler; as WeightFiles.
absl::Status ExportDualEncoder(const DualEncoder& dual, const std::string& directory);

}  // namespace hydra::nn
