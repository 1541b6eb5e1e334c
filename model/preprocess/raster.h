// A decoded image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hydra::preprocess {

struct Raster {
  size_t height = 0;
  size_t width = 0;
  size_t channels = 0;          // 1 (grey) or 3 (RGB)
  std::vector<uint8_t> pixels;  // [height, width, channels] row-major
};

}  // namespace hydra::preprocess
