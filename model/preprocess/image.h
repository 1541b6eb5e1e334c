// From an image to the network's input, according to a bundle's settings.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/artifact/image_settings.h"
#include "model/preprocess/image_decode.h"
#include "model/preprocess/raster.h"

namespace hydra::preprocess {

// Decode, cover transparent pixels, resize, centre crop, normalise.  Returns [C, H, W] row-major
// float32, finite. Thread-safe.  Errors: INVALID_ARGUMENT as DecodeImage; a size that `settings` do
// not admit.
absl::StatusOr<std::vector<float>> PreprocessImage(absl::string_view encoded,
                                                   const artifact::ImageSettings& settings,
                                                   const ImageLimits& limits);

// All but the first and the last step: the pixels that NormalizeRaster takes.  The channels of
// `decoded` must be those of `settings`.  Errors: INVALID_ARGUMENT, as PreprocessImage.
absl::StatusOr<Raster> FitRaster(const Raster& decoded, const artifact::ImageSettings& settings);

// float32(float64(v) * rescale_factor), then (x - mean) / stddev in float32, as Hugging Face's
// image processors compute them.  `pixels`: [C, H, W] row-major bytes of the network's size.
// Errors: INVALID_ARGUMENT a wrong number of values.
absl::StatusOr<std::vector<float>> NormalizePixels(absl::Span<const uint8_t> pixels,
                                                   const artifact::ImageSettings& settings);

// The same for a raster ([H, W, C]).  Returns [C, H, W].  Errors: INVALID_ARGUMENT another size.
absl::StatusOr<std::vector<float>> NormalizeRaster(const Raster& image,
                                                   const artifact::ImageSettings& settings);

}  // namespace hydra::preprocess
