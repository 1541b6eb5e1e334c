// The one check of an image's claimed size.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model/preprocess/image_decode.h"

namespace hydra::preprocess {

// Errors: INVALID_ARGUMENT a side of 0, a side or a number of pixels above `limits`.
absl::Status CheckSize(absl::string_view format, size_t height, size_t width,
                       const ImageLimits& limits);

}  // namespace hydra::preprocess
