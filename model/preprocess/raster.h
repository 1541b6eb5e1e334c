// A decoded image.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hydra::preprocess {

struct Raster {
  size_t height = 0;
  size_t width = 0;
  size_t channels = 0;          // 1 (grey) or 3 (RGB)
  std::vector<uint8_t> pixels;  // [height, width, channels] row-major

  // Of RGB images: the colour that stands for no pixel, if the file names one.
  std::optional<std::array<uint8_t, 3>> transparent = std::nullopt;
};

}  // namespace hydra::preprocess
