// The tokenizer of a Hugging Face checkpoint, and how many tokens of a text its network reads.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/source/input_settings.h"

namespace hydra::builder {

// max_tokens is the smaller of `max_positions` and model_max_length in tokenizer_config.json; the
// padding id comes from config.json.  Errors: as text::LoadTokenizerJson; INVALID_ARGUMENT a
// malformed file.
absl::StatusOr<InputSettings> ReadTextInputs(const std::string& directory, size_t max_positions);

// tokenizer.json and tokenizer_config.json, as ReadTextInputs and `transformers` read them.
absl::Status WriteTextInputs(const InputSettings& inputs, const std::string& directory);

}  // namespace hydra::builder
