// Any bytes as an encoded image: an error, or pixels of the size that the header claims.
#include "model/base/check.h"
#include "model/preprocess/image.h"

namespace preprocess = hydra::preprocess;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view encoded(reinterpret_cast<const char*>(data), size);
  const preprocess::ImageLimits limits{
      .max_bytes = 1 << 20, .max_pixels = 1 << 18, .max_side = 4096};
  for (const size_t channels : {size_t{1}, size_t{3}}) {
    const auto image = preprocess::DecodeImage(encoded, channels, limits);
    if (!image.ok()) continue;
    HYDRA_CHECK(image->pixels.size() == image->height * image->width * channels);
    const hydra::artifact::ImageSettings settings{
        .height = 8,
        .width = 6,
        .channels = channels,
        .resize_mode = hydra::artifact::ResizeMode::kShortestEdge,
        .shortest_edge = 9,
        .filter = hydra::artifact::ResampleFilter::kBicubic,
        .mean = std::vector<double>(channels, 0.5),
        .stddev = std::vector<double>(channels, 0.25)};
    const auto values = preprocess::PreprocessImage(encoded, settings, limits);
    HYDRA_CHECK(!values.ok() || values->size() == 48 * channels);
  }
  return 0;
}
