#include "model/preprocess/orient.h"

#include <utility>

namespace hydra::preprocess {
namespace {

using metadata::Orientation;

bool SwapsSides(Orientation orientation) { return orientation >= Orientation::kTransposed; }

bool FromTheRight(Orientation orientation) {
  return orientation == Orientation::kMirrored || orientation == Orientation::kRotated180 ||
         orientation == Orientation::kTransverse || orientation == Orientation::kRotated90Left;
}

bool FromTheBottom(Orientation orientation) {
  return orientation == Orientation::kRotated180 || orientation == Orientation::kFlipped ||
         orientation == Orientation::kRotated90Right || orientation == Orientation::kTransverse;
}

}  // namespace

Raster Upright(Raster image, Orientation orientation) {
  if (orientation == Orientation::kUpright) return image;
  const bool swap = SwapsSides(orientation);
  Raster out{.height = swap ? image.width : image.height,
             .width = swap ? image.height : image.width,
             .channels = image.channels,
             .pixels = {},
             .transparent = image.transparent};
  out.pixels.reserve(image.pixels.size());
  for (size_t y = 0; y < out.height; ++y) {
    for (size_t x = 0; x < out.width; ++x) {
      size_t row = swap ? x : y, column = swap ? y : x;
      if (FromTheBottom(orientation)) row = image.height - 1 - row;
      if (FromTheRight(orientation)) column = image.width - 1 - column;
      const auto pixel = image.pixels.begin() +
                         static_cast<ptrdiff_t>((row * image.width + column) * image.channels);
      out.pixels.insert(out.pixels.end(), pixel, pixel + static_cast<ptrdiff_t>(image.channels));
    }
  }
  return out;
}

}  // namespace hydra::preprocess
