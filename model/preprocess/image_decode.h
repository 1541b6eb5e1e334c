// PNG and JPEG files in memory to 8-bit pixels, with every size checked before a pixel is decoded.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/preprocess/raster.h"

namespace hydra::preprocess {

// What an encoded image may claim in its header.
struct ImageLimits {
  size_t max_bytes = size_t{16} << 20;   // of the encoded image
  size_t max_pixels = size_t{64} << 20;  // height * width
  size_t max_side = 16384;
};

// Decodes to `channels` 1 (grey) or 3 (RGB), as Pillow's exif_transpose and convert do: turned
// upright by EXIF or XMP orientation (metadata/exif.h), alpha dropped, palettes
// looked up, CMYK converted, 16-bit grey clipped to 255, other 16-bit values cut to their high
// byte, and grey is (19595 R + 38470 G + 7471 B + 2^15) >> 16 (ITU-R 601-2 luma).  A transparent
// colour is reported beside the pixels.  Colour profiles and gamma are not applied.  Metadata that
// cannot be read count as absent.  Thread-safe. Errors: INVALID_ARGUMENT neither PNG nor JPEG,
// truncated or damaged, a size of 0 or above `limits`, an animated PNG, or a JPEG of more than 64
// scans.
absl::StatusOr<Raster> DecodeImage(absl::string_view encoded, size_t channels,
                                   const ImageLimits& limits);

}  // namespace hydra::preprocess
