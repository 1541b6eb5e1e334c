// Which way up a camera held: the orientation in EXIF and XMP metadata.
#pragma once

#include <optional>

#include "absl/strings/string_view.h"

namespace hydra::preprocess::metadata {

// What shows the stored pixels upright; the values are those of EXIF's tag 274.
enum class Orientation {
  kUpright = 1,
  kMirrored = 2,        // left and right swapped
  kRotated180 = 3,      //
  kFlipped = 4,         // top and bottom swapped
  kTransposed = 5,      // rows and columns swapped
  kRotated90Right = 6,  // turn by 90 degrees clockwise
  kTransverse = 7,      // rows and columns swapped about the other diagonal
  kRotated90Left = 8,   // turn by 90 degrees anticlockwise
};

// `exif`: a TIFF file of either byte order, behind up to two "Exif\0\0".  Reads the first directory
// as Pillow does: the first value of the tag of an integer type counts, and reading stops at an
// entry whose value lies outside.  Empty without the tag, or where `exif` is not a TIFF file.
// A value outside 1..8 means upright.  Thread-safe.
std::optional<Orientation> ExifOrientation(absl::string_view exif);

// The first tiff:Orientation="N" or <tiff:Orientation>N of an XMP packet.
std::optional<Orientation> XmpOrientation(absl::string_view xmp);

}  // namespace hydra::preprocess::metadata
