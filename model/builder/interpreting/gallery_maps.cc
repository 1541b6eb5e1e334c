#include "model/builder/interpreting/gallery_maps.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstdint>

#include "model/artifact/manifest.h"
#include "model/base/status_macros.h"
#include "model/interpret/laplace_map.h"
#include "model/interpret/png_encode.h"
#include "model/interpret/token_colours.h"
#include "model/nn/catch_torch.h"
#include "model/runtime/attention_capture.h"

namespace hydra::builder {
namespace {

constexpr size_t kPictureSide = 224;

absl::StatusOr<std::string> MapPicture(const artifact::Manifest& manifest,
                                       const runtime::HeadAttention& attention) {
  HYDRA_ASSIGN_OR_RETURN(const interpret::LaplaceMap map,
                         interpret::MapTokens(attention.probabilities, attention.tokens));
  HYDRA_ASSIGN_OR_RETURN(const interpret::TokenGrid grid,
                         interpret::ShownTokens(manifest, attention.tokens));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<double> colours, interpret::TokenColours(map, grid));
  return interpret::RenderCells(colours, grid);
}

}  // namespace

absl::StatusOr<std::string> InputPicture(const train::ExampleSet& images, size_t row) {
  const at::Tensor pixels = images.pixels[static_cast<int64_t>(row)].contiguous();  // [c, h, w]
  const auto channels = static_cast<size_t>(pixels.size(0));
  const auto height = static_cast<size_t>(pixels.size(1));
  const auto width = static_cast<size_t>(pixels.size(2));
  const uint8_t* values = pixels.data_ptr<uint8_t>();
  const size_t scale = std::max<size_t>(1, kPictureSide / std::max(height, width));
  interpret::PngImage image{.height = height * scale, .width = width * scale};
  for (size_t y = 0; y < image.height; ++y) {
    for (size_t x = 0; x < image.width; ++x) {
      const size_t place = (y / scale) * width + x / scale;
      for (size_t c = 0; c < 3; ++c) {
        image.rgb.push_back(values[std::min(c, channels - 1) * height * width + place]);
      }
    }
  }
  return interpret::EncodePng(image);
}

absl::StatusOr<std::vector<std::string>> MapPictures(const StoredNetwork& base,
                                                     const train::ExampleSet& examples, size_t row,
                                                     absl::Span<const artifact::HeadPlace> heads) {
  std::vector<runtime::HeadQuery> queries;
  for (const auto& [layer, head] : heads) queries.push_back({.layer = layer, .head = head});
  const std::vector<size_t> rows = {row};
  HYDRA_ASSIGN_OR_RETURN(
      const std::vector<runtime::HeadAttention> seen, nn::CatchTorch("laplace maps", [&] {
        const c10::InferenceMode inference;
        return runtime::CaptureAttention(base.network, train::Gather(examples, rows), queries);
      }));
  const artifact::Manifest manifest{.family = base.family, .geometry = base.network.geometry};
  std::vector<std::string> pictures;
  for (const runtime::HeadAttention& attention : seen) {
    HYDRA_ASSIGN_OR_RETURN(pictures.emplace_back(), MapPicture(manifest, attention));
  }
  return pictures;
}

}  // namespace hydra::builder
