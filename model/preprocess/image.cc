#include "model/preprocess/image.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/preprocess/image_resize.h"

namespace hydra::preprocess {
namespace {

using artifact::CropMode;
using artifact::ImageSettings;
using artifact::ResizeMode;

constexpr size_t kByteValues = 256;

// The network's value of every byte, for one channel.
std::array<float, kByteValues> NormalizedBytes(const ImageSettings& settings, size_t channel) {
  std::array<float, kByteValues> table;
  const float mean = static_cast<float>(settings.mean[channel]);
  const float stddev = static_cast<float>(settings.stddev[channel]);
  for (size_t v = 0; v < kByteValues; ++v) {
    const float rescaled = static_cast<float>(static_cast<double>(v) * settings.rescale_factor);
    table[v] = (rescaled - mean) / stddev;
  }
  return table;
}

// Height and width after the resize.
std::pair<size_t, size_t> ResizedSides(const Raster& image, const ImageSettings& settings) {
  switch (settings.resize_mode) {
    case ResizeMode::kNone:
      break;
    case ResizeMode::kExact:
      return {settings.resize_height, settings.resize_width};
    case ResizeMode::kShortestEdge: {
      // The longer side is cut to a whole number, as Hugging Face's processors do.
      const size_t edge = settings.shortest_edge;
      if (image.height <= image.width) return {edge, edge * image.width / image.height};
      return {edge * image.height / image.width, edge};
    }
  }
  return {image.height, image.width};
}

// One side of the centre crop: which values are taken, and how many zeros go before them.
struct SideCrop {
  PixelRange taken;
  size_t before = 0;
};

// An odd difference leaves the larger half behind what is cut, and before what is padded, as
// Hugging Face's center_crop does.
SideCrop CropSide(size_t have, size_t want) {
  if (have >= want) return {.taken = {(have - want) / 2, want}};
  return {.taken = {0, have}, .before = (want - have + 1) / 2};
}

Raster PadWithZeros(const Raster& image, const ImageSettings& settings, size_t top, size_t left) {
  const size_t stride = settings.width * image.channels;
  Raster out{.height = settings.height,
             .width = settings.width,
             .channels = image.channels,
             .pixels = std::vector<uint8_t>(settings.height * stride)};
  const size_t row_values = image.width * image.channels;
  for (size_t y = 0; y < image.height; ++y) {
    std::copy_n(image.pixels.data() + y * row_values, row_values,
                out.pixels.data() + (top + y) * stride + left * image.channels);
  }
  return out;
}

// Hugging Face's convert_to_rgb lays images that have a transparent colour on white.
Raster OnWhite(Raster image) {
  const auto& transparent = *image.transparent;
  for (size_t i = 0; i + transparent.size() <= image.pixels.size(); i += transparent.size()) {
    uint8_t* const pixel = image.pixels.data() + i;
    if (std::equal(transparent.begin(), transparent.end(), pixel)) {
      std::fill_n(pixel, transparent.size(), uint8_t{255});
    }
  }
  return image;
}

absl::StatusOr<Raster> ResizeAndCrop(const Raster& image, const ImageSettings& settings) {
  const auto [height, width] = ResizedSides(image, settings);
  const bool smaller = height < settings.height || width < settings.width;
  if (smaller && settings.crop == CropMode::kInside) {
    return absl::InvalidArgumentError(absl::StrCat("image: got ", height, " x ", width,
                                                   " pixels, want at least ", settings.height,
                                                   " x ", settings.width));
  }
  const SideCrop rows = CropSide(height, settings.height);
  const SideCrop columns = CropSide(width, settings.width);
  HYDRA_ASSIGN_OR_RETURN(Raster fitted, ResizePart(image, {.height = height,
                                                           .width = width,
                                                           .rows = rows.taken,
                                                           .columns = columns.taken,
                                                           .filter = settings.filter}));
  return smaller ? PadWithZeros(fitted, settings, rows.before, columns.before) : fitted;
}

absl::Status CheckExactSize(const Raster& image, const ImageSettings& settings) {
  if (image.height == settings.height && image.width == settings.width &&
      image.channels == settings.channels) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("image: got ", image.height, " x ", image.width,
                                                 " x ", image.channels, ", want ", settings.height,
                                                 " x ", settings.width, " x ", settings.channels));
}

absl::StatusOr<Raster> Fit(const Raster& image, const ImageSettings& settings) {
  const bool as_is =
      settings.resize_mode == ResizeMode::kNone && settings.crop == CropMode::kInside;
  if (image.channels != settings.channels || as_is) {
    HYDRA_RETURN_IF_ERROR(CheckExactSize(image, settings));
    return image;
  }
  return ResizeAndCrop(image, settings);
}

}  // namespace

absl::StatusOr<Raster> FitRaster(const Raster& decoded, const ImageSettings& settings) {
  const bool covered = settings.transparent == artifact::TransparentPixels::kWhite &&
                       decoded.channels == 3 && decoded.transparent.has_value();
  return covered ? Fit(OnWhite(decoded), settings) : Fit(decoded, settings);
}

absl::StatusOr<std::vector<float>> NormalizePixels(absl::Span<const uint8_t> pixels,
                                                   const ImageSettings& settings) {
  const size_t plane = settings.height * settings.width;
  if (pixels.size() != plane * settings.channels) {
    return absl::InvalidArgumentError(
        absl::StrCat("pixels: got ", pixels.size(), " values, want ", plane * settings.channels));
  }
  std::vector<float> values;
  values.reserve(pixels.size());
  for (size_t c = 0; c < settings.channels; ++c) {
    const auto table = NormalizedBytes(settings, c);
    for (const uint8_t v : pixels.subspan(c * plane, plane)) values.push_back(table[v]);
  }
  return values;
}

absl::StatusOr<std::vector<float>> NormalizeRaster(const Raster& image,
                                                   const ImageSettings& settings) {
  HYDRA_RETURN_IF_ERROR(CheckExactSize(image, settings));
  std::vector<float> values;
  values.reserve(image.pixels.size());
  for (size_t c = 0; c < image.channels; ++c) {
    const auto table = NormalizedBytes(settings, c);
    for (size_t i = c; i < image.pixels.size(); i += image.channels) {
      values.push_back(table[image.pixels[i]]);
    }
  }
  return values;
}

absl::StatusOr<std::vector<float>> PreprocessImage(absl::string_view encoded,
                                                   const ImageSettings& settings,
                                                   const ImageLimits& limits) {
  HYDRA_ASSIGN_OR_RETURN(const Raster image, DecodeImage(encoded, settings.channels, limits));
  HYDRA_ASSIGN_OR_RETURN(const Raster fitted, FitRaster(image, settings));
  return NormalizeRaster(fitted, settings);
}

}  // namespace hydra::preprocess
