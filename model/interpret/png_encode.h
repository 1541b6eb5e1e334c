// Pixels to a PNG file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace hydra::interpret {

struct PngImage {
  size_t height = 0;
  size_t width = 0;
  std::vector<uint8_t> rgb;  // [height, width, 3] row-major
};

// An 8-bit RGB PNG; equal images give equal bytes.  Errors: INVALID_ARGUMENT pixels that do not fit
// the size, or a side outside 1..16384; INTERNAL the library's message.
absl::StatusOr<std::string> EncodePng(const PngImage& image);

}  // namespace hydra::interpret
