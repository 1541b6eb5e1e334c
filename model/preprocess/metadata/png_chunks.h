// The chunks of a PNG file, walked without decoding a pixel.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model/preprocess/metadata/exif.h"

namespace hydra::preprocess::metadata {

// Errors: INVALID_ARGUMENT truncated, no pixels, animated.
absl::Status CheckPngChunks(absl::string_view encoded);

// Of the last eXIf chunk, else of the text "Raw profile type exif" that ImageMagick writes; without
// the tag there, of the XMP text.  Texts of more than 1 MiB are left unread.  `encoded` has passed
// CheckPngChunks.  Thread-safe.
Orientation PngOrientation(absl::string_view encoded);

}  // namespace hydra::preprocess::metadata
