// How the examples of a dataset become a network's inputs.
#pragma once

#include <optional>
#include <string>

#include "model/artifact/image_settings.h"
#include "model/artifact/text_settings.h"

namespace hydra::builder {

// Either `image` or `text` with its tokenizer.
struct InputSettings {
  std::optional<artifact::ImageSettings> image;
  std::optional<artifact::TextSettings> text;
  std::optional<std::string> tokenizer_json;
};

}  // namespace hydra::builder
