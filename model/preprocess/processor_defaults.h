// What the reference's image processors do where their file is silent (transformers 5).
#pragma once

#include <array>
#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/artifact/image_settings.h"

namespace hydra::preprocess {

using Colour = std::array<double, 3>;

// Height and width, or the shortest edge.
struct TargetSize {
  size_t height = 0;
  size_t width = 0;
  size_t shortest_edge = 0;  // 0: height and width count
};

struct Processor {
  absl::string_view type;
  TargetSize size;
  TargetSize crop_size;
  bool crops = false;
  bool converts_to_rgb = false;        // do_convert_rgb: transparent pixels become white
  bool whole_number_is_square = true;  // as `size`; else it is the shortest edge
  artifact::ResampleFilter filter = artifact::ResampleFilter::kBicubic;
  Colour mean = {0.5, 0.5, 0.5};
  Colour stddev = {0.5, 0.5, 0.5};
};

// `type`: image_processor_type or feature_extractor_type, in any of its spellings.
// Errors: UNIMPLEMENTED another type; the message names the supported ones.
absl::StatusOr<Processor> ProcessorOfType(absl::string_view type);

// The processor of a config.json's model_type.  Errors: UNIMPLEMENTED, as above.
absl::StatusOr<Processor> ProcessorOfFamily(absl::string_view family);

// Whether the file of `settings` has do_center_crop.
bool Crops(const artifact::ImageSettings& settings);

// The type to write for `family`.
absl::string_view TypeToWrite(absl::string_view family, const artifact::ImageSettings& settings);

}  // namespace hydra::preprocess
