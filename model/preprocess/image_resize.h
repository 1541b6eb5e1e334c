// Resizing, equal to Pillow 13's `Image.resize` bit by bit (earlier releases differ by one or two
// levels where many more rows than columns are dropped).
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "model/artifact/image_settings.h"
#include "model/preprocess/raster.h"

namespace hydra::preprocess {

struct PixelRange {
  size_t first = 0;
  size_t count = 0;
};

// A resize to height x width of which only a rectangle is wanted.
struct ResizePlan {
  size_t height = 0;
  size_t width = 0;
  PixelRange rows;     // within `height`
  PixelRange columns;  // within `width`
  artifact::ResampleFilter filter = artifact::ResampleFilter::kBilinear;
};

// Two passes over columns and rows, with the filter stretched by the scale when shrinking (support
// 1/2 for box, 1 for bilinear and Hamming, 2 for bicubic with a = -0.5, 3 for Lanczos),
// coefficients rounded to 22 fractional bits and each pass rounded to 8 bits; nearest takes one
// pixel.  Costs what the rectangle costs, however large height x width.  Thread-safe. Errors:
// INVALID_ARGUMENT an image of a side of 0 or above 16384, an empty rectangle, one outside height x
// width or with a side above 16384.
absl::StatusOr<Raster> ResizePart(const Raster& image, const ResizePlan& plan);

// The whole of it.
absl::StatusOr<Raster> Resize(const Raster& image, size_t height, size_t width,
                              artifact::ResampleFilter filter);

}  // namespace hydra::preprocess
