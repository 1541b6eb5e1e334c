#include "model/interpret/token_colours.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_detail.h"
#include "model/interpret/png_encode.h"

namespace hydra::interpret {
namespace {

constexpr size_t kImageSide = 224;
constexpr size_t kStripCell = 24;
constexpr size_t kStripWidth = 1024;

// Below this spread a channel's differences are rounding.
constexpr double kNoSpread = 1e-12;

absl::Status TooFew(size_t tokens, size_t wanted) {
  return base::WithReason(
      absl::InvalidArgumentError(absl::StrCat("tokens: got ", tokens, ", want at least ", wanted)),
      "TOO_FEW_TOKENS");
}

}  // namespace

absl::StatusOr<TokenGrid> ShownTokens(const artifact::Manifest& manifest, size_t tokens) {
  constexpr size_t kSpecialOfTexts = 2;
  if (artifact::IsTextFamily(manifest.family)) {
    if (tokens <= kSpecialOfTexts) return TooFew(tokens, kSpecialOfTexts + 1);
    return TokenGrid{.first = 1, .rows = 1, .columns = tokens - kSpecialOfTexts};
  }
  const artifact::Geometry& geometry = manifest.geometry;
  const size_t rows = geometry.image_height / geometry.patch_size;
  const size_t columns = geometry.image_width / geometry.patch_size;
  const size_t patches = rows * columns;
  if (patches == 0 || tokens < patches) return TooFew(tokens, std::max<size_t>(patches, 1));
  return TokenGrid{.first = tokens - patches, .rows = rows, .columns = columns};
}

absl::StatusOr<std::vector<double>> TokenColours(const LaplaceMap& map, const TokenGrid& grid) {
  const size_t cells = grid.rows * grid.columns;
  if (cells == 0 || grid.first + cells > map.tokens) {
    return absl::InvalidArgumentError(absl::StrCat("grid: got tokens ", grid.first, "..",
                                                   grid.first + cells, ", want 1 to ", map.tokens,
                                                   " of them"));
  }
  std::vector<double> colours(cells * kMapChannels);
  for (size_t channel = 0; channel < kMapChannels; ++channel) {
    const auto value = [&](size_t cell) {
      return map.coordinates[(grid.first + cell) * kMapChannels + channel];
    };
    double low = value(0), high = value(0);
    for (size_t cell = 1; cell < cells; ++cell) {
      low = std::min(low, value(cell));
      high = std::max(high, value(cell));
    }
    if (high - low < kNoSpread) continue;
    for (size_t cell = 0; cell < cells; ++cell) {
      colours[cell * kMapChannels + channel] = (value(cell) - low) / (high - low);
    }
  }
  return colours;
}

CellSize CellSizeOf(const TokenGrid& grid) {
  if (grid.rows == 1) {
    return {.height = kStripCell,
            .width = std::clamp<size_t>(kStripWidth / grid.columns, 1, kStripCell)};
  }
  const size_t side = std::max<size_t>(1, kImageSide / std::max(grid.rows, grid.columns));
  return {.height = side, .width = side};
}

absl::StatusOr<std::string> RenderCells(const std::vector<double>& colours, const TokenGrid& grid) {
  if (colours.empty() || colours.size() != grid.rows * grid.columns * kMapChannels) {
    return absl::InvalidArgumentError(absl::StrCat("colours: got ", colours.size(), ", want ",
                                                   grid.rows, " x ", grid.columns, " x ",
                                                   kMapChannels, " and at least 1"));
  }
  const CellSize cell = CellSizeOf(grid);
  PngImage image{.height = grid.rows * cell.height, .width = grid.columns * cell.width};
  image.rgb.reserve(image.height * image.width * kMapChannels);
  for (size_t y = 0; y < image.height; ++y) {
    for (size_t x = 0; x < image.width; ++x) {
      const size_t token = (y / cell.height) * grid.columns + x / cell.width;
      for (size_t c = 0; c < kMapChannels; ++c) {
        const double value = std::clamp(colours[token * kMapChannels + c], 0.0, 1.0);
        image.rgb.push_back(static_cast<uint8_t>(std::lround(255.0 * value)));
      }
    }
  }
  return EncodePng(image);
}

}  // namespace hydra::interpret
