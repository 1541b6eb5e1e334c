#include "model/preprocess/image_decode.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/check.h"
#include "model/base/status_macros.h"
#include "model/preprocess/jpeg_decode.h"
#include "model/preprocess/metadata/jpeg_markers.h"
#include "model/preprocess/metadata/png_chunks.h"
#include "model/preprocess/orient.h"
#include "model/preprocess/png_decode.h"
#include "model/preprocess/size_check.h"

namespace hydra::preprocess {
namespace {

// ITU-R 601-2 luma in 16 fractional bits; equal channels give exactly their value.
std::vector<uint8_t> RgbToGrey(const std::vector<uint8_t>& rgb) {
  std::vector<uint8_t> grey;
  grey.reserve(rgb.size() / 3);
  for (size_t i = 0; i + 2 < rgb.size(); i += 3) {
    const uint32_t sum = 19595u * rgb[i] + 38470u * rgb[i + 1] + 7471u * rgb[i + 2] + 0x8000u;
    grey.push_back(static_cast<uint8_t>(sum >> 16));
  }
  return grey;
}

absl::StatusOr<Raster> DecodeUpright(absl::string_view encoded, const ImageLimits& limits) {
  if (IsPng(encoded)) {
    HYDRA_ASSIGN_OR_RETURN(Raster image, DecodePng(encoded, limits));
    image.transparent = metadata::TransparentColour(encoded);
    return Upright(std::move(image), metadata::PngOrientation(encoded));
  }
  if (IsJpeg(encoded)) {
    HYDRA_ASSIGN_OR_RETURN(Raster image, DecodeJpeg(encoded, limits));
    return Upright(std::move(image), metadata::JpegOrientation(encoded));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("got ", encoded.size(), " bytes that are neither PNG nor JPEG"));
}

}  // namespace

absl::Status CheckSize(absl::string_view format, size_t height, size_t width,
                       const ImageLimits& limits) {
  const bool sides =
      height >= 1 && width >= 1 && height <= limits.max_side && width <= limits.max_side;
  // Each side is below 2^32, so that the product cannot overflow.
  if (sides && height * width <= limits.max_pixels) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(format, ": got ", height, " x ", width,
                                                 " pixels, want sides of 1..", limits.max_side,
                                                 " and at most ", limits.max_pixels, " pixels"));
}

absl::StatusOr<Raster> DecodeImage(absl::string_view encoded, size_t channels,
                                   const ImageLimits& limits) {
  HYDRA_CHECK(channels == 1 || channels == 3);
  if (encoded.empty()) return absl::InvalidArgumentError("got no bytes, want a PNG or JPEG image");
  if (encoded.size() > limits.max_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", encoded.size(), " bytes, want at most ", limits.max_bytes));
  }
  HYDRA_ASSIGN_OR_RETURN(Raster image, DecodeUpright(encoded, limits));
  if (channels == 1) {
    image.pixels = RgbToGrey(image.pixels);
    image.channels = 1;
    image.transparent.reset();
  }
  return image;
}

}  // namespace hydra::preprocess
