#include "model/nn/checkpoint_config.h"

#include <cmath>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "nlohmann/json.hpp"

namespace hydra::nn {
namespace {

using nlohmann::json;

constexpr size_t kMaxDimension = 1 << 20;  // no encoder is wider; larger values are damage

absl::StatusOr<json> ParseObject(const std::string& text, const char* file) {
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object())
    return absl::InvalidArgumentError(absl::StrCat(file, ": not a JSON object"));
  return document;
}

absl::StatusOr<size_t> Size(const json& config, const char* key) {
  const auto found = config.find(key);
  if (found == config.end() || !found->is_number_integer() || found->get<int64_t>() < 1 ||
      found->get<int64_t>() > static_cast<int64_t>(kMaxDimension)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "config.json: ", key, ": got ", found == config.end() ? "nothing" : found->dump(),
        ", want an integer in 1..", kMaxDimension));
  }
  return found->get<size_t>();
}

absl::StatusOr<std::string> Activation(const json& config) {
  static const std::map<std::string, std::string> kNames = {{"gelu", "gelu"},
                                                            {"gelu_new", "gelu_tanh"},
                                                            {"gelu_pytorch_tanh", "gelu_tanh"},
                                                            {"quick_gelu", "quick_gelu"},
                                                            {"relu", "relu"}};
  const std::string name = config.value("hidden_act", json("gelu")).dump();
  const auto found = kNames.find(name.size() < 2 ? name : name.substr(1, name.size() - 2));
  if (found != kNames.end()) return found->second;
  return absl::UnimplementedError(
      absl::StrCat("config.json: hidden_act: got ", name,
                   ", want gelu, gelu_new, gelu_pytorch_tanh, quick_gelu or relu"));
}

absl::StatusOr<std::string> Family(const json& config) {
  const json type = config.value("model_type", json());
  if (type != "vit" && type != "deit") {
    return absl::UnimplementedError(
        absl::StrCat("config.json: model_type: got ", type.dump(), ", want \"vit\" or \"deit\""));
  }
  const json architectures = config.value("architectures", json::array());
  const json architecture =
      architectures.is_array() && !architectures.empty() ? architectures[0] : json("");
  if (architecture != "ViTForImageClassification" && architecture != "DeiTForImageClassification") {
    return absl::UnimplementedError(
        absl::StrCat("config.json: architectures: got ", architecture.dump(),
                     ", want ViTForImageClassification or DeiTForImageClassification"));
  }
  const json problem = config.value("problem_type", json());
  if (!problem.is_null() && problem != "single_label_classification") {
    return absl::UnimplementedError(absl::StrCat("config.json: problem_type: got ", problem.dump(),
                                                 ", want single_label_classification"));
  }
  return type.get<std::string>();
}

absl::StatusOr<std::vector<std::string>> Labels(const json& config) {
  const json names = config.value("id2label", json::object());
  std::vector<std::string> labels;
  if (!names.is_object()) return absl::InvalidArgumentError("config.json: id2label: not an object");
  for (size_t c = 0; c < names.size(); ++c) {
    const auto found = names.find(absl::StrCat(c));
    if (found == names.end() || !found->is_string()) {
      return absl::InvalidArgumentError(
          absl::StrCat("config.json: id2label.", c, ": missing or not a string"));
    }
    labels.push_back(found->get<std::string>());
  }
  if (labels.empty()) labels = {"LABEL_0", "LABEL_1"};  // the reference's default: two classes
  if (labels.size() < 2) {
    return absl::UnimplementedError(
        "config.json: id2label: got 1 class, want at least 2 (no regression)");
  }
  return labels;
}

absl::StatusOr<artifact::Geometry> ReadGeometry(const json& config) {
  artifact::Geometry geometry;
  HYDRA_ASSIGN_OR_RETURN(geometry.layers, Size(config, "num_hidden_layers"));
  HYDRA_ASSIGN_OR_RETURN(geometry.width, Size(config, "hidden_size"));
  HYDRA_ASSIGN_OR_RETURN(geometry.heads, Size(config, "num_attention_heads"));
  HYDRA_ASSIGN_OR_RETURN(geometry.mlp_width, Size(config, "intermediate_size"));
  HYDRA_ASSIGN_OR_RETURN(geometry.image_height, Size(config, "image_size"));
  HYDRA_ASSIGN_OR_RETURN(geometry.patch_size, Size(config, "patch_size"));
  HYDRA_ASSIGN_OR_RETURN(geometry.channels, Size(config, "num_channels"));
  HYDRA_ASSIGN_OR_RETURN(geometry.activation, Activation(config));
  geometry.image_width = geometry.image_height;
  if (geometry.width % geometry.heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat("config.json: hidden_size: got ", geometry.width,
                                                   ", want a multiple of num_attention_heads ",
                                                   geometry.heads));
  }
  geometry.head_width = geometry.width / geometry.heads;
  if (geometry.patch_size > geometry.image_height) {
    return absl::InvalidArgumentError(
        absl::StrCat("config.json: patch_size: got ", geometry.patch_size,
                     ", want at most image_size ", geometry.image_height));
  }
  const json epsilon = config.value("layer_norm_eps", json(1e-12));
  if (!epsilon.is_number() || !(epsilon.get<double>() > 0.0)) {
    return absl::InvalidArgumentError("config.json: layer_norm_eps: want a positive number");
  }
  geometry.layer_norm_epsilon = epsilon.get<double>();
  geometry.qkv_bias = config.value("qkv_bias", json(true)) == true;
  return geometry;
}

absl::StatusOr<std::vector<double>> PerChannel(const json& document, const char* key,
                                               size_t channels, double otherwise) {
  const json values = document.value(key, json());
  if (values.is_null()) return std::vector<double>(channels, otherwise);
  std::vector<double> numbers;
  if (values.is_array()) {
    for (const json& value : values)
      numbers.push_back(value.is_number() ? value.get<double>() : NAN);
  }
  const bool positive = absl::string_view(key) == "image_std";
  for (const double number : numbers) {
    if (!std::isfinite(number) || (positive && number <= 0.0)) numbers.clear();
  }
  if (numbers.size() != channels) {
    return absl::InvalidArgumentError(absl::StrCat(key, ": got ", values.dump(), ", want ",
                                                   channels, positive ? " positive" : "",
                                                   " numbers, one per channel"));
  }
  return numbers;
}

absl::StatusOr<artifact::ImageSettings> ReadImageSettings(const json& preprocessor,
                                                          const artifact::Geometry& geometry) {
  artifact::ImageSettings settings{.height = geometry.image_height,
                                   .width = geometry.image_width,
                                   .channels = geometry.channels,
                                   .resize_height = geometry.image_height,
                                   .resize_width = geometry.image_width};
  if (preprocessor.value("do_resize", json(true)) == false)
    settings.resize_mode = artifact::ResizeMode::kNone;
  if (preprocessor.value("resample", json(2)) == 3)
    settings.filter = artifact::ResampleFilter::kBicubic;
  if (preprocessor.value("do_rescale", json(true)) == true) {
    const json factor = preprocessor.value("rescale_factor", json(1.0 / 255.0));
    settings.rescale_factor = factor.is_number() ? factor.get<double>() : 1.0 / 255.0;
  } else {
    settings.rescale_factor = 1.0;
  }
  const bool normalise = preprocessor.value("do_normalize", json(true)) == true;
  const json source = normalise ? preprocessor : json::object();
  HYDRA_ASSIGN_OR_RETURN(
      settings.mean, PerChannel(source, "image_mean", settings.channels, normalise ? 0.5 : 0.0));
  HYDRA_ASSIGN_OR_RETURN(settings.stddev,
                         PerChannel(source, "image_std", settings.channels, normalise ? 0.5 : 1.0));
  return settings;
}

}  // namespace

absl::StatusOr<CheckpointConfig> ParseCheckpointConfig(const std::string& config_json,
                                                       const std::string& preprocessor_json) {
  HYDRA_ASSIGN_OR_RETURN(const json config, ParseObject(config_json, "config.json"));
  CheckpointConfig parsed;
  HYDRA_ASSIGN_OR_RETURN(parsed.family, Family(config));
  HYDRA_ASSIGN_OR_RETURN(parsed.geometry, ReadGeometry(config));
  HYDRA_ASSIGN_OR_RETURN(parsed.labels, Labels(config));
  parsed.geometry.classes = parsed.labels.size();
  parsed.prefix_tokens = parsed.family == "deit" ? 2 : 1;
  json preprocessor = config;
  if (!preprocessor_json.empty()) {
    HYDRA_ASSIGN_OR_RETURN(preprocessor,
                           ParseObject(preprocessor_json, "preprocessor_config.json"));
  }
  HYDRA_ASSIGN_OR_RETURN(parsed.image_settings, ReadImageSettings(preprocessor, parsed.geometry));
  return parsed;
}

std::string FormatConfig(const CheckpointConfig& config) {
  const artifact::Geometry& geometry = config.geometry;
  const bool deit = config.family == "deit";
  json labels = json::object(), ids = json::object();
  for (size_t c = 0; c < config.labels.size(); ++c) {
    labels[absl::StrCat(c)] = config.labels[c];
    ids[config.labels[c]] = c;
  }
  const json document = {
      {"model_type", config.family},
      {"architectures", {deit ? "DeiTForImageClassification" : "ViTForImageClassification"}},
      {"hidden_size", geometry.width},
      {"num_hidden_layers", geometry.layers},
      {"num_attention_heads", geometry.heads},
      {"intermediate_size", geometry.mlp_width},
      {"hidden_act", geometry.activation == "gelu_tanh" ? "gelu_new" : geometry.activation},
      {"image_size", geometry.image_height},
      {"patch_size", geometry.patch_size},
      {"num_channels", geometry.channels},
      {"qkv_bias", geometry.qkv_bias},
      {"layer_norm_eps", geometry.layer_norm_epsilon},
      {"hidden_dropout_prob", 0.0},
      {"attention_probs_dropout_prob", 0.0},
      {"id2label", labels},
      {"label2id", ids}};
  return absl::StrCat(document.dump(2), "\n");
}

std::string FormatPreprocessor(const CheckpointConfig& config) {
  const artifact::ImageSettings& settings = config.image_settings;
  const json document = {
      {"image_processor_type",
       config.family == "deit" ? "DeiTImageProcessor" : "ViTImageProcessor"},
      {"do_resize", settings.resize_mode != artifact::ResizeMode::kNone},
      {"size", {{"height", settings.height}, {"width", settings.width}}},
      {"resample", settings.filter == artifact::ResampleFilter::kBicubic ? 3 : 2},
      {"do_rescale", true},
      {"rescale_factor", settings.rescale_factor},
      {"do_normalize", true},
      {"image_mean", settings.mean},
      {"image_std", settings.stddev}};
  return absl::StrCat(document.dump(2), "\n");
}

}  // namespace hydra::nn
