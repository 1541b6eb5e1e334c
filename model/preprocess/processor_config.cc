#include "model/preprocess/processor_config.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/preprocess/processor_defaults.h"
#include "nlohmann/json.hpp"

namespace hydra::preprocess {
namespace {

using artifact::CropMode;
using artifact::ImageSettings;
using artifact::ResampleFilter;
using artifact::ResizeMode;
using artifact::TransparentPixels;
using nlohmann::json;

constexpr int64_t kMaxSide = 16384;

struct Range {
  double low;
  double high;
};
// What a bundle can hold.
constexpr Range kFactor{1e-9, 1e3}, kMean{-1e6, 1e6}, kStddev{1e-6, 1e6};

// Indexed by Pillow's code of the filter.
constexpr ResampleFilter kFilters[] = {ResampleFilter::kNearest,  ResampleFilter::kLanczos,
                                       ResampleFilter::kBilinear, ResampleFilter::kBicubic,
                                       ResampleFilter::kBox,      ResampleFilter::kHamming};

std::string Got(absl::string_view key, const json& value) {
  return absl::StrCat("preprocessor_config.json: ", key, ": got ",
                      value.dump(-1, ' ', false, json::error_handler_t::replace));
}

// Null where the key is absent, which the reference takes for the same.
const json& Find(const json& document, const char* key) {
  static const json* const kNull = new json();
  const auto found = document.find(key);
  return found == document.end() ? *kNull : *found;
}

absl::StatusOr<bool> Flag(const json& document, const char* key, bool otherwise) {
  const json& value = Find(document, key);
  if (value.is_null()) return otherwise;
  if (value.is_boolean()) return value.get<bool>();
  return absl::InvalidArgumentError(absl::StrCat(Got(key, value), ", want true or false"));
}

absl::StatusOr<Processor> FindProcessor(const json& document, absl::string_view family) {
  for (const char* key : {"image_processor_type", "feature_extractor_type"}) {
    const json& type = Find(document, key);
    if (type.is_string()) return ProcessorOfType(type.get<std::string>());
    if (!type.is_null())
      return absl::InvalidArgumentError(absl::StrCat(Got(key, type), ", want a text"));
  }
  return ProcessorOfFamily(family);
}

std::optional<size_t> Side(const json& value) {
  if (!value.is_number_integer() || value < 1 || value > kMaxSide) return std::nullopt;
  return value.get<size_t>();
}

// The forms of `value` in the order of the reference: a whole number, [height, width], an object.
std::optional<TargetSize> ReadTarget(const json& value, bool whole_number_is_square) {
  if (const auto side = Side(value)) {
    return whole_number_is_square ? TargetSize{*side, *side, 0} : TargetSize{0, 0, *side};
  }
  const bool pair = value.is_array() && value.size() == 2;
  if (pair || (value.is_object() && value.contains("height") && value.contains("width"))) {
    const auto height = Side(pair ? value[0] : value["height"]);
    const auto width = Side(pair ? value[1] : value["width"]);
    if (!height || !width || value.size() != 2) return std::nullopt;
    return TargetSize{*height, *width, 0};
  }
  if (!value.is_object() || value.size() != 1 || !value.contains("shortest_edge")) {
    return std::nullopt;
  }
  const auto edge = Side(value["shortest_edge"]);
  if (!edge) return std::nullopt;
  return TargetSize{0, 0, *edge};
}

// Replaces the processor's sizes by those of the file.
absl::Status ReadSizes(const json& document, Processor& processor) {
  HYDRA_ASSIGN_OR_RETURN(const bool square,
                         Flag(document, "default_to_square", processor.whole_number_is_square));
  if (const json& value = Find(document, "size"); !value.is_null()) {
    const auto size = ReadTarget(value, square);
    if (!size) {
      return absl::UnimplementedError(
          absl::StrCat(Got("size", value),
                       ", want {height, width}, {shortest_edge} or a number, in 1..", kMaxSide));
    }
    processor.size = *size;
  }
  if (const json& value = Find(document, "crop_size"); !value.is_null()) {
    const auto size = ReadTarget(value, /*whole_number_is_square=*/true);
    if (!size || size->shortest_edge > 0) {
      return absl::UnimplementedError(absl::StrCat(
          Got("crop_size", value), ", want {height, width} or a number, in 1..", kMaxSide));
    }
    processor.crop_size = *size;
  }
  return absl::OkStatus();
}

absl::Status SetResize(const json& document, const Processor& processor, ImageSettings& settings) {
  HYDRA_ASSIGN_OR_RETURN(const bool resizes, Flag(document, "do_resize", true));
  settings.resize_mode = ResizeMode::kNone;
  if (!resizes) return absl::OkStatus();
  const TargetSize& size = processor.size;
  settings.resize_mode = size.shortest_edge > 0 ? ResizeMode::kShortestEdge : ResizeMode::kExact;
  settings.shortest_edge = size.shortest_edge;
  settings.resize_height = size.height;
  settings.resize_width = size.width;
  const json& resample = Find(document, "resample");
  settings.filter = processor.filter;
  if (resample.is_null()) return absl::OkStatus();
  constexpr int64_t kCodes = std::size(kFilters);
  if (!resample.is_number_integer() || resample < 0 || resample >= kCodes) {
    return absl::InvalidArgumentError(
        absl::StrCat(Got("resample", resample), ", want Pillow's code in 0..", kCodes - 1));
  }
  settings.filter = kFilters[resample.get<size_t>()];
  return absl::OkStatus();
}

// Sizes after the crop; follows SetResize.
absl::Status SetCrop(const json& document, const Processor& processor,
                     const artifact::Geometry& geometry, ImageSettings& settings) {
  HYDRA_ASSIGN_OR_RETURN(const bool crops, Flag(document, "do_center_crop", processor.crops));
  if (!crops) {
    if (settings.resize_mode == ResizeMode::kShortestEdge) {
      return absl::UnimplementedError(
          "preprocessor_config.json: do_center_crop: got false after a resize of the shortest "
          "edge, "
          "want true: the network takes images of one size");
    }
    const bool exact = settings.resize_mode == ResizeMode::kExact;
    settings.height = exact ? settings.resize_height : geometry.image_height;
    settings.width = exact ? settings.resize_width : geometry.image_width;
    return absl::OkStatus();
  }
  settings.height = processor.crop_size.height;
  settings.width = processor.crop_size.width;
  if (settings.height == 0) {
    return absl::InvalidArgumentError(
        "preprocessor_config.json: crop_size: got nothing, want a size for do_center_crop");
  }
  const size_t least_height = std::max(settings.resize_height, settings.shortest_edge);
  const size_t least_width = std::max(settings.resize_width, settings.shortest_edge);
  const bool enough = least_height >= settings.height && least_width >= settings.width;
  settings.crop = enough ? CropMode::kInside : CropMode::kZeroPadded;
  return absl::OkStatus();
}

absl::Status SetRescale(const json& document, ImageSettings& settings) {
  HYDRA_ASSIGN_OR_RETURN(const bool rescales, Flag(document, "do_rescale", true));
  const json& factor = Find(document, "rescale_factor");
  if (!rescales) settings.rescale_factor = 1.0;
  if (!rescales || factor.is_null()) return absl::OkStatus();
  const double value = factor.is_number() ? factor.get<double>() : 0.0;
  if (!(value >= kFactor.low && value <= kFactor.high)) {
    return absl::InvalidArgumentError(absl::StrCat(
        Got("rescale_factor", factor), ", want a number in ", kFactor.low, "..", kFactor.high));
  }
  settings.rescale_factor = value;
  return absl::OkStatus();
}

// One number for all channels or one a channel.
absl::StatusOr<std::vector<double>> PerChannel(const json& document, const char* key, Range range,
                                               const std::vector<double>& otherwise) {
  const json& value = Find(document, key);
  if (value.is_null()) return otherwise;
  std::vector<double> numbers;
  const json items = value.is_number() ? json(otherwise.size(), value) : value;
  if (items.is_array() && items.size() == otherwise.size()) {
    for (const json& item : items) {
      const double number = item.is_number() ? item.get<double>() : range.high + 1.0;
      if (number >= range.low && number <= range.high) numbers.push_back(number);
    }
  }
  if (numbers.size() == otherwise.size()) return numbers;
  return absl::InvalidArgumentError(absl::StrCat(Got(key, value), ", want ", otherwise.size(),
                                                 " numbers in ", range.low, "..", range.high,
                                                 ", one per channel"));
}

absl::Status SetNormalisation(const json& document, const Processor& processor,
                              ImageSettings& settings) {
  HYDRA_ASSIGN_OR_RETURN(const bool normalises, Flag(document, "do_normalize", true));
  settings.mean.assign(settings.channels, 0.0);
  settings.stddev.assign(settings.channels, 1.0);
  if (!normalises) return absl::OkStatus();
  const auto first = [&](const Colour& colour) {
    return std::vector<double>(colour.begin(),
                               colour.begin() + static_cast<ptrdiff_t>(settings.channels));
  };
  HYDRA_ASSIGN_OR_RETURN(settings.mean,
                         PerChannel(document, "image_mean", kMean, first(processor.mean)));
  HYDRA_ASSIGN_OR_RETURN(settings.stddev,
                         PerChannel(document, "image_std", kStddev, first(processor.stddev)));
  return absl::OkStatus();
}

absl::Status RefuseOtherSteps(const json& document) {
  for (const char* key : {"do_pad", "use_square_size", "rescale_offset"}) {
    const json& value = Find(document, key);
    if (value.is_null() || value == false || value == 0) continue;
    return absl::UnimplementedError(
        absl::StrCat(Got(key, value),
                     ", want false or nothing: the steps are resize, centre crop, "
                     "rescale and normalise"));
  }
  return absl::OkStatus();
}

absl::StatusOr<json> ParseObject(const std::string& text, absl::string_view file) {
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": not a JSON object"));
  }
  return document;
}

// Resizes to the network's size and does no more.
Processor PlainProcessor(const artifact::Geometry& geometry) {
  const TargetSize size{geometry.image_height, geometry.image_width, 0};
  return {.type = "", .size = size, .crop_size = size, .filter = ResampleFilter::kBilinear};
}

absl::StatusOr<ImageSettings> ReadSettings(const json& document, Processor processor,
                                           const artifact::Geometry& geometry) {
  if (geometry.channels != 1 && geometry.channels != 3) {
    return absl::UnimplementedError(
        absl::StrCat("config.json: num_channels: got ", geometry.channels, ", want 1 or 3"));
  }
  ImageSettings settings{.channels = geometry.channels};
  HYDRA_ASSIGN_OR_RETURN(const bool converts,
                         Flag(document, "do_convert_rgb", processor.converts_to_rgb));
  settings.transparent = converts ? TransparentPixels::kWhite : TransparentPixels::kShown;
  HYDRA_RETURN_IF_ERROR(RefuseOtherSteps(document));
  HYDRA_RETURN_IF_ERROR(ReadSizes(document, processor));
  HYDRA_RETURN_IF_ERROR(SetResize(document, processor, settings));
  HYDRA_RETURN_IF_ERROR(SetCrop(document, processor, geometry, settings));
  HYDRA_RETURN_IF_ERROR(SetRescale(document, settings));
  HYDRA_RETURN_IF_ERROR(SetNormalisation(document, processor, settings));
  return settings;
}

}  // namespace

absl::StatusOr<ImageSettings> ParseProcessorConfig(const std::string& text,
                                                   absl::string_view family,
                                                   const artifact::Geometry& geometry) {
  HYDRA_ASSIGN_OR_RETURN(json document, ParseObject(text, "preprocessor_config.json"));
  if (json nested = Find(document, "image_processor"); nested.is_object()) document = nested;
  if (geometry.channels == 1) {
    return ReadSettings(document, PlainProcessor(geometry), geometry);
  }
  HYDRA_ASSIGN_OR_RETURN(const Processor processor, FindProcessor(document, family));
  return ReadSettings(document, processor, geometry);
}

absl::StatusOr<ImageSettings> SettingsWithoutProcessor(const std::string& config_json,
                                                       const artifact::Geometry& geometry) {
  HYDRA_ASSIGN_OR_RETURN(const json config, ParseObject(config_json, "config.json"));
  json kept = json::object();
  for (const char* key : {"image_mean", "image_std"}) kept[key] = Find(config, key);
  return ReadSettings(kept, PlainProcessor(geometry), geometry);
}

std::string FormatProcessorConfig(const ImageSettings& settings, absl::string_view family) {
  const bool crops = Crops(settings);
  const auto code = std::find(std::begin(kFilters), std::end(kFilters), settings.filter);
  json document = {{"image_processor_type", std::string(TypeToWrite(family, settings))},
                   {"do_resize", settings.resize_mode != ResizeMode::kNone},
                   {"size", {{"height", settings.height}, {"width", settings.width}}},
                   {"resample", code - std::begin(kFilters)},
                   {"do_center_crop", crops},
                   {"do_convert_rgb", settings.transparent == TransparentPixels::kWhite},
                   {"do_rescale", true},
                   {"rescale_factor", settings.rescale_factor},
                   {"do_normalize", true},
                   {"image_mean", settings.mean},
                   {"image_std", settings.stddev}};
  if (settings.resize_mode == ResizeMode::kExact) {
    document["size"] = {{"height", settings.resize_height}, {"width", settings.resize_width}};
  }
  if (settings.resize_mode == ResizeMode::kShortestEdge) {
    document["size"] = {{"shortest_edge", settings.shortest_edge}};
  }
  if (crops) document["crop_size"] = {{"height", settings.height}, {"width", settings.width}};
  return absl::StrCat(document.dump(2), "\n");
}

}  // namespace hydra::preprocess
