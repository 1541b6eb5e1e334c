#include "model/nn/checkpoint/config.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/nn/checkpoint/config_reader.h"
#include "model/nn/checkpoint/families.h"
#include "model/preprocess/processor_config.h"
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

// The kind of encoder that sees the images.
std::string ImageModelType(const json& config) {
  const json& side = config.contains("vision_config") ? config["vision_config"] : config;
  const json type = side.value("model_type", json(""));
  return type.is_string() ? type.get<std::string>() : "";
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
  const artifact::Geometry& geometry = parsed.encoder.geometry;
  HYDRA_ASSIGN_OR_RETURN(
      parsed.image_settings,
      preprocessor_json.empty()
          ? preprocess::SettingsWithoutProcessor(config_json, geometry)
          : preprocess::ParseProcessorConfig(preprocessor_json, ImageModelType(config), geometry));
  return parsed;
}

absl::StatusOr<EncoderConfig> ParseTextSide(const std::string& config_json) {
  HYDRA_ASSIGN_OR_RETURN(const json config, ParseObject(config_json, "config.json"));
  return ReadTextSide(config);
}

absl::StatusOr<std::string> FormatConfig(const std::string& config_json,
                                         const artifact::Geometry& geometry,
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
  if (geometry.patch_size > 0) config["image_size"] = geometry.image_height;
  for (const char* dtype : {"dtype", "torch_dtype"}) {  // of the file that is read
    if (config.contains(dtype)) config[dtype] = "float32";
  }
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
  return FormatConfig(document.dump(), geometry, labels).value();
}

}  // namespace hydra::nn
