// labels.json, preprocess/image.json and preprocess/text.json <-> their structs.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/image_settings.h"
#include "model/artifact/manifest.h"
#include "model/artifact/text_settings.h"

namespace hydra::artifact::codec {

inline constexpr char kLabelsFile[] = "labels.json";
inline constexpr char kImageFile[] = "preprocess/image.json";
inline constexpr char kTextFile[] = "preprocess/text.json";

// Parsers check against `manifest`: one label a class, the network's input size.
// Errors: INVALID_ARGUMENT, naming the field.
absl::StatusOr<std::vector<std::string>> ParseLabels(absl::string_view text,
                                                     const Manifest& manifest);
absl::StatusOr<ImageSettings> ParseImageSettings(absl::string_view text, const Manifest& manifest);
absl::StatusOr<TextSettings> ParseTextSettings(absl::string_view text, const Manifest& manifest);

// Errors: INVALID_ARGUMENT a text that is not UTF-8.
absl::StatusOr<std::string> EncodeLabels(const std::vector<std::string>& labels);
absl::StatusOr<std::string> EncodeImageSettings(const ImageSettings& settings);
absl::StatusOr<std::string> EncodeTextSettings(const TextSettings& settings);

}  // namespace hydra::artifact::codec
