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

absl::StatusOr<Raster> CropCenter(Raster image, size_t height, size_t width) {
  if (image.height == height && image.width == width) return image;
  if (image.height < height || image.width < width) {
    return absl::InvalidArgumentError(absl::StrCat("image: got ", image.height, " x ", image.width,
                                                   " pixels, want at least ", height, " x ",
                                                   width));
  }
  const size_t top = (image.height - height) / 2;
  const size_t left = (image.width - width) / 2;
  const size_t stride = image.width * image.channels;
  Raster crop{.height = height, .width = width, .channels = image.channels, .pixels = {}};
  crop.pixels.reserve(height * width * image.channels);
  for (size_t y = 0; y < height; ++y) {
    const auto row =
        image.pixels.begin() + static_cast<ptrdiff_t>((top + y) * stride + left * image.channels);
    crop.pixels.insert(crop.pixels.end(), row,
                       row + static_cast<ptrdiff_t>(width * image.channels));
  }
  return crop;
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

}  // namespace

absl::StatusOr<Raster> FitRaster(const Raster& image, const ImageSettings& settings) {
  if (image.channels != settings.channels || settings.resize_mode == ResizeMode::kNone) {
    HYDRA_RETURN_IF_ERROR(CheckExactSize(image, settings));
    return image;
  }
  const auto [height, width] = ResizedSides(image, settings);
  HYDRA_ASSIGN_OR_RETURN(Raster resized, Resize(image, height, width, settings.filter));
  return CropCenter(std::move(resized), settings.height, settings.width);
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
