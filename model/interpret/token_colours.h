// A Laplace map as colours: special tokens left out, one cell a patch or word.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/artifact/manifest.h"
#include "model/interpret/laplace_map.h"

namespace hydra::interpret {

// Which tokens are shown, and where: cell (r, c) is token first + r * columns + c.
struct TokenGrid {
  size_t first = 0;
  size_t rows = 0;
  size_t columns = 0;

  bool operator==(const TokenGrid&) const = default;
};

// Of an image: its patches, behind CLS, the distillation token and the registers.  Of a text of
// `tokens` tokens: one row of what lies between the first and the last, which are special.
// Errors: INVALID_ARGUMENT reason TOO_FEW_TOKENS when nothing is left to show, or the tokens are
// fewer than the image's patches.
absl::StatusOr<TokenGrid> ShownTokens(const artifact::Manifest& manifest, size_t tokens);

// [rows * columns, 3] in [0, 1]: (x - min) / (max - min) of each channel over the shown tokens; 0
// in a channel whose shown tokens are equal.  Errors: INVALID_ARGUMENT a grid beyond the map.
absl::StatusOr<std::vector<double>> TokenColours(const LaplaceMap& map, const TokenGrid& grid);

// Sides of one cell in pixels: such that the longer side of an image is as near below 224 as whole
// cells allow; of a text cells of 24 x 24, narrower where more than 1024 pixels would be needed.
struct CellSize {
  size_t height = 1;
  size_t width = 1;
};
CellSize CellSizeOf(const TokenGrid& grid);

// A PNG of cells of one colour, round(255 x).  `colours` as TokenColours gives them.
absl::StatusOr<std::string> RenderCells(const std::vector<double>& colours, const TokenGrid& grid);

}  // namespace hydra::interpret
