// preprocessor_config.json of a Hugging Face checkpoint <-> a bundle's image settings.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/image_settings.h"
#include "model/artifact/manifest.h"

namespace hydra::preprocess {

// Reads what ViT's, DeiT's, BiT's (DINOv2) and CLIP's image processors read, with the defaults of
// transformers 5 for absent keys; also the older names of the processors (`*ImageProcessorFast`,
// `*FeatureExtractor`) and a processor_config.json, whose object image_processor is read.  Without
// a type in `json` that of `family` (config.json's model_type) is taken.  The result's height and
// width are those of the processor's output; a processor that keeps the image's size gets those of
// `geometry`.  Keys that change no pixel of a loaded RGB image are ignored.
// One-channel networks, which no processor of the reference feeds, get `geometry`'s size, bilinear,
// mean and stddev 0.5 and no crop for absent keys, whatever the type.
// Errors: UNIMPLEMENTED a type or a step that is not supported (says what is); INVALID_ARGUMENT not
// a JSON object, a value of another type or out of range (names the key).
absl::StatusOr<artifact::ImageSettings> ParseProcessorConfig(const std::string& json,
                                                             absl::string_view family,
                                                             const artifact::Geometry& geometry);

// For a checkpoint without such a file: resize to `geometry`'s size, image_mean and image_std of
// config.json if they are there, else 0.5.  Errors: INVALID_ARGUMENT, as above.
absl::StatusOr<artifact::ImageSettings> SettingsWithoutProcessor(
    const std::string& config_json, const artifact::Geometry& geometry);

// A file from which ParseProcessorConfig and the reference read `settings` again.
std::string FormatProcessorConfig(const artifact::ImageSettings& settings,
                                  absl::string_view family);

}  // namespace hydra::preprocess
