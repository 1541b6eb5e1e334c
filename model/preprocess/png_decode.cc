#include "model/preprocess/png_decode.h"

#include <spng.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/preprocess/size_check.h"

namespace hydra::preprocess {
namespace {

constexpr absl::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr size_t kChunkOverhead = 12;           // length, type, checksum
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

// Walks the chunks up to the end without decoding any: finds truncation and animation.
absl::Status CheckChunks(absl::string_view encoded) {
  size_t position = kSignature.size();
  bool pixels = false;
  while (true) {
    const size_t available = encoded.size() - position;
    if (available < kChunkOverhead) return Broken("truncated");
    const size_t length = BigEndian(encoded.substr(position, 4));
    const absl::string_view type = encoded.substr(position + 4, 4);
    if (length > available - kChunkOverhead) return Broken("truncated");
    if (type == "acTL") return Broken("animated, want a single image");
    pixels = pixels || type == "IDAT";
    if (type == "IEND") return pixels ? absl::OkStatus() : Broken("no pixels");
    position += kChunkOverhead + length;
  }
}

}  // namespace

bool IsPng(absl::string_view encoded) { return absl::StartsWith(encoded, kSignature); }

absl::StatusOr<Raster> DecodePng(absl::string_view encoded, const ImageLimits& limits) {
  constexpr size_t kHeaderEnd = 33;  // signature and IHDR chunk
  if (encoded.size() < kHeaderEnd) return Broken("truncated");
  if (encoded.substr(12, 4) != "IHDR") return Broken("no header");
  Raster image{.height = BigEndian(encoded.substr(20, 4)),
               .width = BigEndian(encoded.substr(16, 4)),
               .channels = 3,
               .pixels = {}};
  HYDRA_RETURN_IF_ERROR(CheckSize("PNG", image.height, image.width, limits));
  HYDRA_RETURN_IF_ERROR(CheckChunks(encoded));
  const std::unique_ptr<spng_ctx, FreeContext> context(spng_ctx_new(0));
  if (context == nullptr) return absl::ResourceExhaustedError("PNG: out of memory");
  spng_set_image_limits(context.get(), static_cast<uint32_t>(image.width),
                        static_cast<uint32_t>(image.height));
  spng_set_chunk_limits(context.get(), kMaxAncillaryBytes, kMaxAncillaryBytes);
  spng_set_png_buffer(context.get(), encoded.data(), encoded.size());
  size_t bytes = 0;
  int error = spng_decoded_image_size(context.get(), SPNG_FMT_RGB8, &bytes);
  if (error != 0) return Broken(spng_strerror(error));
  if (bytes != image.height * image.width * image.channels) return Broken("odd size");
  image.pixels.resize(bytes);
  error = spng_decode_image(context.get(), image.pixels.data(), bytes, SPNG_FMT_RGB8, 0);
  if (error != 0) return Broken(spng_strerror(error));
  return image;
}

}  // namespace hydra::preprocess
