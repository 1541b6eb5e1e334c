#include "model/interpret/png_encode.h"

#include <spng.h>

#include <cstdlib>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hydra::interpret {
namespace {

constexpr size_t kMaxSide = 16384;

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
struct FreeBytes {
  void operator()(void* bytes) const { std::free(bytes); }
};

bool Fits(const PngImage& image) {
  const auto side = [](size_t pixels) { return pixels >= 1 && pixels <= kMaxSide; };
  return side(image.height) && side(image.width) &&
         image.rgb.size() == image.height * image.width * 3;
}

}  // namespace

absl::StatusOr<std::string> EncodePng(const PngImage& image) {
  if (!Fits(image)) {
    return absl::InvalidArgumentError(
        absl::StrCat("PNG: got ", image.rgb.size(), " bytes of ", image.height, " x ", image.width,
                     " pixels, want 3 a pixel and sides of 1..", kMaxSide));
  }
  const std::unique_ptr<spng_ctx, FreeContext> context(spng_ctx_new(SPNG_CTX_ENCODER));
  if (context == nullptr) return absl::ResourceExhaustedError("PNG: out of memory");
  spng_ihdr header{.width = static_cast<uint32_t>(image.width),
                   .height = static_cast<uint32_t>(image.height),
                   .bit_depth = 8,
                   .color_type = SPNG_COLOR_TYPE_TRUECOLOR,
                   .compression_method = 0,
                   .filter_method = 0,
                   .interlace_method = 0};
  spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  int error = spng_set_ihdr(context.get(), &header);
  if (error == 0) {
    error = spng_encode_image(context.get(), image.rgb.data(), image.rgb.size(), SPNG_FMT_PNG,
                              SPNG_ENCODE_FINALIZE);
  }
  size_t size = 0;
  const std::unique_ptr<void, FreeBytes> bytes(
      error == 0 ? spng_get_png_buffer(context.get(), &size, &error) : nullptr);
  if (bytes == nullptr) return absl::InternalError(absl::StrCat("PNG: ", spng_strerror(error)));
  return std::string(static_cast<const char*>(bytes.get()), size);
}

}  // namespace hydra::interpret
