// What the server says and decides by about the bundle that it serves; the weights are elsewhere.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/artifact/bundle.h"
#include "model/text/tokenizer.h"

namespace hydra::policy {

// Immutable once made.
struct ServedBundle {
  artifact::Manifest manifest;
  artifact::Calibration calibration;
  std::vector<std::string> labels;
  std::optional<artifact::ImageSettings> image_settings;  // of a model that takes images
  std::optional<text::Tokenizer> tokenizer;               // of a model that takes texts
  std::optional<artifact::HeadMap> head_map;
  std::optional<std::string> policy_json;
  std::string digest;
  std::string weights_digest;
  std::string serving_dtype;  // numerics that run: "float32" or "bfloat16"

  // Without the tokenizer, whose making can fail.
  static ServedBundle Of(const artifact::Bundle& bundle, std::string serving_dtype) {
    return {.manifest = bundle.manifest(),
            .calibration = bundle.calibration(),
            .labels = bundle.labels(),
            .image_settings = bundle.image_settings(),
            .head_map = bundle.head_map(),
            .policy_json = bundle.policy_json(),
            .digest = bundle.digest(),
            .weights_digest = bundle.weights_digest(),
            .serving_dtype = std::move(serving_dtype)};
  }
};

}  // namespace hydra::policy
