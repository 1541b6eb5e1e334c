// Hugging Face checkpoints: a directory with config.json and model.safetensors (or its shards), as
// save_pretrained writes it.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/artifact/image_settings.h"
#include "model/nn/network.h"

namespace hydra::nn {

struct Checkpoint {
  std::string family;  // a bundle's family
  Network network;     // M = 1, every head; 0 classes: no classifier, it ends in features
  std::vector<std::string> labels;         // one per class
  artifact::ImageSettings image_settings;  // of image families
  std::string config;                      // the text of config.json
  std::string digest;                      // sha256 of model.safetensors
};

// Families: vit, deit, dinov2 (registers, SwiGLU), bert, roberta, distilbert, and the image side
// of clip and vision-text-dual-encoder.  DINOv2's layer scale is multiplied into the matrices
// before it, token type 0 added to the position embeddings, and the two classifiers of DeiT with
// teacher averaged: the same function.  Image settings come from preprocessor_config.json or
// processor_config.json, else from image_mean and image_std in config.json, else ViT's default
// (mean 0.5, stddev 0.5); where they crop to another size than the configuration's, position
// embeddings are interpolated.  Files of float32, float16 and bfloat16. Errors: NOT_FOUND a
// missing file; UNIMPLEMENTED a family, head or activation that is not supported (says what is);
// INVALID_ARGUMENT a malformed file or a tensor that does not fit the configuration (names it).
absl::StatusOr<Checkpoint> ImportCheckpoint(const std::string& directory);

// The text side of a CLIP or VisionTextDualEncoder checkpoint: it ends in features of length 1.
absl::StatusOr<Network> ImportTextSide(const std::string& directory);

// Writes config.json (`checkpoint.config` with the labels), of image families
// preprocessor_config.json, and model.safetensors (float32) so that `transformers` loads them.
// `directory` must exist.  Errors: FAILED_PRECONDITION a network with more than one member or
// missing heads; UNIMPLEMENTED a family or network without a classifier, or images that are not
// square; INTERNAL the system's reason.
absl::Status ExportCheckpoint(const Checkpoint& checkpoint, const std::string& directory);

// Bicubic interpolation of the patches' position embeddings to another image size, as the
// reference's interpolate_pos_encoding; prefix tokens keep theirs.  Throws c10::Error.
void ResizeImage(size_t height, size_t width, Network& network);

}  // namespace hydra::nn
