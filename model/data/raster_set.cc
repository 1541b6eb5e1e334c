#include "model/data/raster_set.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/preprocess/image.h"

namespace hydra::data {
namespace {

constexpr size_t kMaxPixelBytes = size_t{8} << 30;

absl::Status Named(const std::string& file, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(file, ": ", status.message()));
}

absl::StatusOr<preprocess::Raster> Decode(const Example& example, size_t channels,
                                          const preprocess::ImageLimits& limits) {
  if (example.image.empty()) return absl::InvalidArgumentError("got a text, want an image");
  HYDRA_ASSIGN_OR_RETURN(const std::string bytes, base::ReadFile(example.image, limits.max_bytes));
  auto raster = preprocess::DecodeImage(bytes, channels, limits);
  if (!raster.ok()) return Named(example.image, raster.status());
  return raster;
}

// [H, W, C] to [C, H, W].
std::string Planes(const preprocess::Raster& raster) {
  std::string planes;
  planes.reserve(raster.pixels.size());
  for (size_t c = 0; c < raster.channels; ++c) {
    for (size_t i = c; i < raster.pixels.size(); i += raster.channels) {
      planes.push_back(static_cast<char>(raster.pixels[i]));
    }
  }
  return planes;
}

absl::Status Append(const Example& example, const artifact::ImageSettings& settings,
                    const preprocess::ImageLimits& limits, RasterSet& set) {
  HYDRA_ASSIGN_OR_RETURN(const preprocess::Raster raster,
                         Decode(example, settings.channels, limits));
  const auto fitted = preprocess::FitRaster(raster, settings);
  if (!fitted.ok()) return Named(example.image, fitted.status());
  const std::string planes = Planes(*fitted);
  set.digests.push_back(base::Sha256Hex(planes));
  set.pixels.insert(set.pixels.end(), planes.begin(), planes.end());
  if (example.label.has_value()) set.labels.push_back(*example.label);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RasterSet> LoadRasters(const ExampleList& list,
                                      const artifact::ImageSettings& settings,
                                      const preprocess::ImageLimits& limits) {
  RasterSet set{.count = list.examples.size(),
                .channels = settings.channels,
                .height = settings.height,
                .width = settings.width,
                .pixels = {},
                .digests = {},
                .labels = {},
                .class_names = list.class_names};
  const size_t bytes = set.channels * set.height * set.width;
  if (bytes == 0 || set.count > kMaxPixelBytes / bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("got ", set.count, " images of ", bytes,
                                                     " bytes, want 1 byte or more and at most ",
                                                     kMaxPixelBytes, " in all"));
  }
  set.pixels.reserve(set.count * bytes);
  for (const Example& example : list.examples) {
    HYDRA_RETURN_IF_ERROR(Append(example, settings, limits, set));
  }
  return set;
}

absl::StatusOr<artifact::ImageSettings> SettingsOfFirst(const ExampleList& list, size_t channels,
                                                        const preprocess::ImageLimits& limits) {
  if (list.examples.empty()) return absl::InvalidArgumentError("got no examples");
  HYDRA_ASSIGN_OR_RETURN(const preprocess::Raster raster,
                         Decode(list.examples.front(), channels, limits));
  return artifact::ImageSettings{.height = raster.height,
                                 .width = raster.width,
                                 .channels = channels,
                                 .resize_mode = artifact::ResizeMode::kExact,
                                 .resize_height = raster.height,
                                 .resize_width = raster.width,
                                 .mean = std::vector<double>(channels, 0.0),
                                 .stddev = std::vector<double>(channels, 1.0)};
}

}  // namespace hydra::data
