#include "model/preprocess/png_decode.h"

#include <spng.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/preprocess/metadata/png_chunks.h"
#include "model/preprocess/size_check.h"

namespace hydra::preprocess {
namespace {

constexpr absl::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr size_t kMaxAncillaryBytes = 1 << 20;  // of one chunk of text, profile and the like

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};

absl::Status Broken(absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("PNG: ", reason));
}

uint32_t BigEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

constexpr size_t kHeaderEnd = 33;  // signature and IHDR chunk

bool IsDeepGrey(absl::string_view encoded) {
  constexpr size_t kBitDepth = 24, kColourType = 25;
  return encoded[kBitDepth] == 16 && encoded[kColourType] == 0;
}

// Decodes to `format` as `values`, which has room for all of them.
template <typename Value>
absl::Status Decode(spng_ctx* context, spng_format format, std::vector<Value>& values) {
  size_t bytes = 0;
  int error = spng_decoded_image_size(context, format, &bytes);
  if (error != 0) return Broken(spng_strerror(error));
  if (bytes != values.size() * sizeof(Value)) return Broken("odd size");
  error = spng_decode_image(context, values.data(), bytes, format, 0);
  return error == 0 ? absl::OkStatus() : Broken(spng_strerror(error));
}

// Pillow clips 16-bit grey to 255, where it cuts the values of other 16-bit images.
absl::Status DecodeDeepGrey(spng_ctx* context, Raster& image) {
  std::vector<uint16_t> grey(image.height * image.width);
  HYDRA_RETURN_IF_ERROR(Decode(context, SPNG_FMT_PNG, grey));
  image.pixels.reserve(grey.size() * image.channels);
  for (const uint16_t value : grey) {
    const auto clipped = static_cast<uint8_t>(std::min<uint16_t>(value, 255));
    image.pixels.insert(image.pixels.end(), image.channels, clipped);
  }
  return absl::OkStatus();
}

absl::Status DecodeColours(spng_ctx* context, Raster& image) {
  image.pixels.resize(image.height * image.width * image.channels);
  return Decode(context, SPNG_FMT_RGB8, image.pixels);
}

}  // namespace

bool IsPng(absl::string_view encoded) { return absl::StartsWith(encoded, kSignature); }

absl::StatusOr<Raster> DecodePng(absl::string_view encoded, const ImageLimits& limits) {
  if (encoded.size() < kHeaderEnd) return Broken("truncated");
  if (encoded.substr(12, 4) != "IHDR") return Broken("no header");
  Raster image{.height = BigEndian(encoded.substr(20, 4)),
               .width = BigEndian(encoded.substr(16, 4)),
               .channels = 3,
               .pixels = {}};
  HYDRA_RETURN_IF_ERROR(CheckSize("PNG", image.height, image.width, limits));
  HYDRA_RETURN_IF_ERROR(metadata::CheckPngChunks(encoded));
  const std::unique_ptr<spng_ctx, FreeContext> context(spng_ctx_new(0));
  if (context == nullptr) return absl::ResourceExhaustedError("PNG: out of memory");
  spng_set_image_limits(context.get(), static_cast<uint32_t>(image.width),
                        static_cast<uint32_t>(image.height));
  spng_set_chunk_limits(context.get(), kMaxAncillaryBytes, kMaxAncillaryBytes);
  spng_set_png_buffer(context.get(), encoded.data(), encoded.size());
  HYDRA_RETURN_IF_ERROR(IsDeepGrey(encoded) ? DecodeDeepGrey(context.get(), image)
                                            : DecodeColours(context.get(), image));
  return image;
}

}  // namespace hydra::preprocess
