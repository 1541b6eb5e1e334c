#include "model/preprocess/jpeg_decode.h"

#include <turbojpeg.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/preprocess/metadata/jpeg_markers.h"
#include "model/preprocess/size_check.h"

namespace hydra::preprocess {
namespace {

constexpr absl::string_view kSignature("\xff\xd8\xff", 3);
using Handle = std::unique_ptr<void, decltype(&tjDestroy)>;

absl::Status Broken(absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("JPEG: ", reason));
}

// a * b / 255, rounded, as Pillow computes it.
int MultiplyDivide255(int a, int b) {
  const int product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

// Adobe's CMYK files store inverted ink.
std::vector<uint8_t> CmykToRgb(const std::vector<uint8_t>& cmyk) {
  std::vector<uint8_t> rgb;
  rgb.reserve(cmyk.size() / 4 * 3);
  for (size_t i = 0; i + 3 < cmyk.size(); i += 4) {
    const int white = cmyk[i + 3];
    for (size_t c = 0; c < 3; ++c) {
      const int value = white - MultiplyDivide255(255 - cmyk[i + c], white);
      rgb.push_back(static_cast<uint8_t>(std::clamp(value, 0, 255)));
    }
  }
  return rgb;
}

const unsigned char* Bytes(absl::string_view encoded) {
  return reinterpret_cast<const unsigned char*>(encoded.data());
}

}  // namespace

bool IsJpeg(absl::string_view encoded) { return absl::StartsWith(encoded, kSignature); }

absl::StatusOr<Raster> DecodeJpeg(absl::string_view encoded, const ImageLimits& limits) {
  const Handle handle(tjInitDecompress(), &tjDestroy);
  if (handle == nullptr) return absl::ResourceExhaustedError("JPEG: out of memory");
  int width = 0, height = 0, subsampling = 0, colorspace = 0;
  if (tjDecompressHeader3(handle.get(), Bytes(encoded), encoded.size(), &width, &height,
                          &subsampling, &colorspace) != 0) {
    return Broken(tjGetErrorStr2(handle.get()));
  }
  Raster image{.height = static_cast<size_t>(std::max(height, 0)),
               .width = static_cast<size_t>(std::max(width, 0)),
               .channels = 3,
               .pixels = {}};
  HYDRA_RETURN_IF_ERROR(CheckSize("JPEG", image.height, image.width, limits));
  HYDRA_RETURN_IF_ERROR(metadata::CheckJpegMarkers(encoded));
  const bool cmyk = colorspace == TJCS_CMYK || colorspace == TJCS_YCCK;
  image.pixels.resize(image.height * image.width * (cmyk ? 4 : 3));
  // Without the flag a damaged file would be filled up with grey and accepted.
  if (tjDecompress2(handle.get(), Bytes(encoded), encoded.size(), image.pixels.data(), width, 0,
                    height, cmyk ? TJPF_CMYK : TJPF_RGB, TJFLAG_STOPONWARNING) != 0) {
    return Broken(tjGetErrorStr2(handle.get()));
  }
  if (cmyk) image.pixels = CmykToRgb(image.pixels);
  return image;
}

}  // namespace hydra::preprocess
