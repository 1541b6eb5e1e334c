// The images of a dataset in memory, at the network's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/artifact/image_settings.h"
#include "model/data/examples.h"
#include "model/preprocess/image_decode.h"

namespace hydra::data {

struct RasterSet {
  size_t count = 0;
  size_t channels = 0;
  size_t height = 0;
  size_t width = 0;
  std::vector<uint8_t> pixels;       // [count, channels, height, width], before normalisation
  std::vector<std::string> digests;  // sha256 of each image's pixels
  std::vector<size_t> labels;        // one per image, or none at all
  std::vector<std::string> class_names;
};

// Decodes, resizes and crops as `settings` say; digests are those of the resulting pixels, so that
// two encodings of one picture count as one item.  Errors: INVALID_ARGUMENT an example that is a
// text, an image that cannot be used (names the file); RESOURCE_EXHAUSTED more than 8 GiB of
// pixels; as ReadFile.
absl::StatusOr<RasterSet> LoadRasters(const ExampleList& list,
                                      const artifact::ImageSettings& settings,
                                      const preprocess::ImageLimits& limits);

// The settings that take the first image's size and this number of channels as they are, with mean
// 0 and stddev 1.  Errors: as LoadRasters, for the first image.
absl::StatusOr<artifact::ImageSettings> SettingsOfFirst(const ExampleList& list, size_t channels,
                                                        const preprocess::ImageLimits& limits);

}  // namespace hydra::data
