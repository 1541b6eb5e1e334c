// The markers of a JPEG file, walked without decoding a pixel.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model/preprocess/metadata/exif.h"

namespace hydra::preprocess::metadata {

// A progressive file has about ten scans; each costs a pass over all coefficients, however few
// bytes it takes in the file.
inline constexpr size_t kMaxScans = 64;

// Errors: INVALID_ARGUMENT truncated, no scan, more than kMaxScans scans.
absl::Status CheckJpegMarkers(absl::string_view encoded);

// Of the EXIF segments before the first scan, joined as Pillow joins them; without the tag there,
// of the last XMP segment.  Thread-safe.
Orientation JpegOrientation(absl::string_view encoded);

}  // namespace hydra::preprocess::metadata
