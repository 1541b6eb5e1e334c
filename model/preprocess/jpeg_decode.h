// JPEG files to RGB pixels.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/preprocess/image_decode.h"
#include "model/preprocess/raster.h"

namespace hydra::preprocess {

bool IsJpeg(absl::string_view encoded);

// Returns three channels whatever the file has.  Errors: INVALID_ARGUMENT, as DecodeImage.
absl::StatusOr<Raster> DecodeJpeg(absl::string_view encoded, const ImageLimits& limits);

}  // namespace hydra::preprocess
