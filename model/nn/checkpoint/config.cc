#include "model/nn/checkpoint/config.h"

#include <cmath>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/nn/checkpoint/config_reader.h"
#include "model/nn/checkpoint/families.h"
#include "nlohmann/json.hpp"

namespace hydra::nn {
namespace {

using nlohmann::json;

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

absl::Status CheckProblem(const json& config) {
  const json problem = config.value("problem_type", json());
  if (problem.is_null() || problem == "single_label_classification") return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("config.json: problem_type: got ", problem.dump(),
                                               ", want single_label_classification"));
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
  HYDRA_RETURN_IF_ERROR(CheckProblem(config));
  CheckpointConfig parsed;
  HYDRA_ASSIGN_OR_RETURN(const FamilyMatch match, MatchFamily(config));
  parsed.family = match.family;
  HYDRA_ASSIGN_OR_RETURN(parsed.encoder, ReadFamily(config, match));
  if (match.classifies) {
    HYDRA_ASSIGN_OR_RETURN(parsed.labels, Labels(config));
    parsed.encoder.geometry.classes = parsed.labels.size();
  }
  if (!artifact::IsImageFamily(parsed.family)) return parsed;
  json preprocessor = config;
  if (!preprocessor_json.empty()) {
    HYDRA_ASSIGN_OR_RETURN(preprocessor,
                           ParseObject(preprocessor_json, "preprocessor_config.json"));
  }
  HYDRA_ASSIGN_OR_RETURN(parsed.image_settings,
                         ReadImageSettings(preprocessor, parsed.encoder.geometry));
  return parsed;
}

absl::StatusOr<EncoderConfig> ParseTextSide(const std::string& config_json) {
  HYDRA_ASSIGN_OR_RETURN(const json config, ParseObject(config_json, "config.json"));
  return ReadTextSide(config);
}

absl::StatusOr<std::string> WithLabels(const std::string& config_json,
                                       const std::vector<std::string>& labels) {
  HYDRA_ASSIGN_OR_RETURN(json config, ParseObject(config_json, "config.json"));
  HYDRA_ASSIGN_OR_RETURN(const std::string architecture, ClassifierArchitecture(config));
  json names = json::object(), ids = json::object();
  for (size_t c = 0; c < labels.size(); ++c) {
    names[absl::StrCat(c)] = labels[c];
    ids[labels[c]] = c;
  }
  config["architectures"] = {architecture};
  config["id2label"] = names;
  config["label2id"] = ids;
  config["problem_type"] = "single_label_classification";
  return absl::StrCat(config.dump(2), "\n");
}

absl::StatusOr<std::string> ClassifierPooler(const std::string& config_json) {
  HYDRA_ASSIGN_OR_RETURN(const json config, ParseObject(config_json, "config.json"));
  HYDRA_ASSIGN_OR_RETURN(const FamilyMatch match, MatchFamily(config));
  HYDRA_ASSIGN_OR_RETURN(const EncoderConfig encoder, ReadFamily(config, match));
  return encoder.geometry.pooler;
}

std::string FormatVitConfig(const artifact::Geometry& geometry,
                            const std::vector<std::string>& labels) {
  const json document = {
      {"model_type", "vit"},
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
      {"attention_probs_dropout_prob", 0.0}};
  // A ViT's configuration always takes labels.
  return WithLabels(document.dump(), labels).value();
}

std::string FormatPreprocessor(const artifact::ImageSettings& settings) {
  const json document = {
      {"image_processor_type", "ViTImageProcessor"},
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
