// Antialiased resizing, equal to Pillow 13's `Image.resize` bit by bit (earlier releases differ by
// one or two levels where many more rows than columns are dropped).
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "model/artifact/image_settings.h"
#include "model/preprocess/raster.h"

namespace hydra::preprocess {

// Two passes over columns and rows, with the filter stretched by the scale when shrinking (support
// 1 for bilinear; 2 for bicubic, a = -0.5), coefficients rounded to 22 fractional bits and each
// pass rounded to 8 bits.  Thread-safe.  Errors: INVALID_ARGUMENT a size of 0 or above 16384, or an
// empty image.
absl::StatusOr<Raster> Resize(const Raster& image, size_t height, size_t width,
                              artifact::ResampleFilter filter);

}  // namespace hydra::preprocess
