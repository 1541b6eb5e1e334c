// The chunks of a PNG file, walked without decoding a pixel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

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

using Rgb = std::array<uint8_t, 3>;

// The one colour that the tRNS chunk makes wholly transparent, as Pillow keeps it through
// convert("RGB"): of 16-bit colours the low byte, of grey of 1 and 16 bits black alone, of a
// palette the entry where that is the only transparent one.  Empty without such a colour.
std::optional<Rgb> TransparentColour(absl::string_view encoded);

}  // namespace hydra::preprocess::metadata
