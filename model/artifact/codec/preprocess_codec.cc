#include "model/artifact/codec/preprocess_codec.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/json_reader.h"
#include "model/artifact/codec/vocabulary.h"
#include "model/base/check.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::artifact::codec {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxLabelBytes = 1024;

ResizeMode ReadResizeMode(const JsonNode& node) {
  const std::string name = node.Choice({"none", "exact", "shortest_edge"});
  if (name == "none") return ResizeMode::kNone;
  return name == "shortest_edge" ? ResizeMode::kShortestEdge : ResizeMode::kExact;
}

absl::string_view ResizeModeName(ResizeMode mode) {
  if (mode == ResizeMode::kNone) return "none";
  return mode == ResizeMode::kShortestEdge ? "shortest_edge" : "exact";
}

struct FilterName {
  ResampleFilter filter;
  absl::string_view name;
};

constexpr FilterName kFilters[] = {
    {ResampleFilter::kBilinear, "bilinear"}, {ResampleFilter::kBicubic, "bicubic"},
    {ResampleFilter::kNearest, "nearest"},   {ResampleFilter::kLanczos, "lanczos"},
    {ResampleFilter::kBox, "box"},           {ResampleFilter::kHamming, "hamming"}};

ResampleFilter ReadFilter(const JsonNode& node) {
  const std::string name =
      node.Choice({"bilinear", "bicubic", "nearest", "lanczos", "box", "hamming"});
  for (const FilterName& known : kFilters) {
    if (name == known.name) return known.filter;
  }
  return ResampleFilter::kBilinear;  // the node has recorded the error
}

std::string NameOf(ResampleFilter filter) {
  for (const FilterName& known : kFilters) {
    if (filter == known.filter) return std::string(known.name);
  }
  HYDRA_CHECK(false);
}

// Absent in bundles written before the key existed.
CropMode ReadCrop(JsonObject& root) {
  if (!root.Has("crop")) return CropMode::kInside;
  return root["crop"].Choice({"inside", "zero_padded"}) == "zero_padded" ? CropMode::kZeroPadded
                                                                         : CropMode::kInside;
}

TransparentPixels ReadTransparent(JsonObject& root) {
  if (!root.Has("transparent_pixels")) return TransparentPixels::kShown;
  return root["transparent_pixels"].Choice({"shown", "white"}) == "white"
             ? TransparentPixels::kWhite
             : TransparentPixels::kShown;
}

// Only the keys of the mode are there; a crop without padding must find enough pixels.
void ReadResize(JsonObject& root, ImageSettings& settings) {
  const bool padded = settings.crop == CropMode::kZeroPadded;
  const size_t height = padded ? 1 : settings.height, width = padded ? 1 : settings.width;
  settings.resize_mode = ReadResizeMode(root["resize_mode"]);
  if (settings.resize_mode == ResizeMode::kExact) {
    settings.resize_height = root["resize_height"].Count({height, kMaxSide});
    settings.resize_width = root["resize_width"].Count({width, kMaxSide});
  }
  if (settings.resize_mode == ResizeMode::kShortestEdge) {
    settings.shortest_edge = root["shortest_edge"].Count({std::max(height, width), kMaxSide});
  }
  if (settings.resize_mode != ResizeMode::kNone) settings.filter = ReadFilter(root["filter"]);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseLabels(absl::string_view text,
                                                     const Manifest& manifest) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, kLabelsFile));
  const size_t classes = manifest.geometry.classes;
  std::vector<std::string> labels;
  {
    JsonObject root(document.root());
    for (const JsonNode& label : root["labels"].Items({classes, classes})) {
      labels.push_back(label.Text(kMaxLabelBytes));
    }
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return labels;
}

absl::StatusOr<std::string> EncodeLabels(const std::vector<std::string>& labels) {
  return DumpJson({{"labels", labels}}, kLabelsFile);
}

absl::StatusOr<ImageSettings> ParseImageSettings(absl::string_view text, const Manifest& manifest) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, kImageFile));
  const Geometry& geometry = manifest.geometry;
  ImageSettings settings;
  {
    JsonObject root(document.root());
    settings.height = root["height"].Count({geometry.image_height, geometry.image_height});
    settings.width = root["width"].Count({geometry.image_width, geometry.image_width});
    settings.channels = root["channels"].Count({geometry.channels, geometry.channels});
    settings.crop = ReadCrop(root);
    settings.transparent = ReadTransparent(root);
    ReadResize(root, settings);
    settings.rescale_factor = root["rescale_factor"].Real({1e-9, 1e3});
    const CountRange channels{settings.channels, settings.channels};
    settings.mean = root["mean"].Reals(channels, {-1e6, 1e6});
    settings.stddev = root["stddev"].Reals(channels, {1e-6, 1e6});
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return settings;
}

absl::StatusOr<std::string> EncodeImageSettings(const ImageSettings& settings) {
  Json json = {{"height", settings.height},
               {"width", settings.width},
               {"channels", settings.channels},
               {"resize_mode", std::string(ResizeModeName(settings.resize_mode))}};
  if (settings.resize_mode == ResizeMode::kExact) {
    json["resize_height"] = settings.resize_height;
    json["resize_width"] = settings.resize_width;
  }
  if (settings.resize_mode == ResizeMode::kShortestEdge) {
    json["shortest_edge"] = settings.shortest_edge;
  }
  if (settings.resize_mode != ResizeMode::kNone) {
    json["filter"] = NameOf(settings.filter);
  }
  if (settings.crop == CropMode::kZeroPadded) json["crop"] = "zero_padded";
  if (settings.transparent == TransparentPixels::kWhite) json["transparent_pixels"] = "white";
  json["rescale_factor"] = settings.rescale_factor;
  json["mean"] = settings.mean;
  json["stddev"] = settings.stddev;
  return DumpJson(json, kImageFile);
}

absl::StatusOr<TextSettings> ParseTextSettings(absl::string_view text, const Manifest& manifest) {
  HYDRA_ASSIGN_OR_RETURN(JsonDocument document, JsonDocument::Parse(text, kTextFile));
  TextSettings settings;
  {
    JsonObject root(document.root());
    settings.max_tokens = root["max_tokens"].Count({2, manifest.geometry.max_positions});
    settings.pad_token =
        static_cast<int64_t>(root["pad_token"].Count({0, manifest.geometry.vocabulary - 1}));
  }
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return settings;
}

absl::StatusOr<std::string> EncodeTextSettings(const TextSettings& settings) {
  return DumpJson({{"max_tokens", settings.max_tokens}, {"pad_token", settings.pad_token}},
                  kTextFile);
}

}  // namespace hydra::artifact::codec
