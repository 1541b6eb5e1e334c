#include "model/nn/checkpoint/families.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/base/status_macros.h"
#include "model/nn/checkpoint/config_reader.h"
#include "model/nn/checkpoint/encoders.h"

namespace hydra::nn {
namespace {

using nlohmann::json;

absl::StatusOr<std::string> ReadPoolerActivation(const json& config) {
  const json name = config.value("pooler_act", json("tanh"));
  if (name == "tanh" || name == "relu") return name.get<std::string>();
  return absl::UnimplementedError(
      absl::StrCat("config.json: pooler_act: got ", name.dump(), ", want tanh or relu"));
}

// One side of a two-sided checkpoint: the encoder of `model_type` under `prefix`.
absl::StatusOr<EncoderConfig> ReadTower(const json& config, const std::string& prefix) {
  const json type = config.value("model_type", json());
  EncoderConfig tower;
  if (type == "vit") {
    HYDRA_ASSIGN_OR_RETURN(tower, ReadVit(config));
    HYDRA_ASSIGN_OR_RETURN(tower.geometry.pooler, ReadPoolerActivation(config));
    tower.head.pooler = prefix + "pooler.dense";
    tower.root = prefix;
    return tower;
  }
  if (type == "clip_vision_model") {
    HYDRA_ASSIGN_OR_RETURN(tower, ReadClipVision(config));
    tower.root = prefix;
    tower.other_root = prefix + "vision_model.";
    return tower;
  }
  if (type == "bert" || type == "roberta") {
    HYDRA_ASSIGN_OR_RETURN(tower, type == "bert" ? ReadBert(config) : ReadRoberta(config));
    tower.head.pooler = prefix + "pooler.dense";
    tower.root = prefix;
    return tower;
  }
  return absl::UnimplementedError(absl::StrCat(
      "config.json: model_type of a tower: got ", type.dump(),
      ", want \"vit\" or \"clip_vision_model\" for images, \"bert\" or \"roberta\" for texts"));
}

// Both sides end in a projection to the joint space.
absl::Status AddProjection(const json& config, const std::string& name, EncoderConfig& encoder) {
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry.projection_width,
                         ReadSize(config, "projection_dim", 512));
  encoder.head.projection = name;
  return absl::OkStatus();
}

absl::StatusOr<EncoderConfig> ReadImageSide(const json& config) {
  HYDRA_ASSIGN_OR_RETURN(const json vision, ReadObject(config, "vision_config"));
  const bool clip = config.value("model_type", json()) == "clip";
  HYDRA_ASSIGN_OR_RETURN(EncoderConfig encoder,
                         clip ? ReadClipVision(vision) : ReadTower(vision, "vision_model."));
  HYDRA_RETURN_IF_ERROR(AddProjection(config, "visual_projection.weight", encoder));
  return encoder;
}

struct FamilyRule {
  const char* model_type;
  const char* family;
  absl::StatusOr<EncoderConfig> (*read)(const json& config);
  // Without a classifier of the family; what they add to the encoder is left out.
  std::vector<std::string> encoder_classes;
  const char* classifier_class;  // empty: none
  std::vector<std::string> classifiers;
};

const std::vector<FamilyRule>& Rules() {
  static const auto& rules = *new std::vector<FamilyRule>{
      {"vit", "vit", ReadVit, {"ViTModel"}, "ViTForImageClassification", {"classifier"}},
      {"deit", "deit", ReadDeit, {"DeiTModel"}, "DeiTForImageClassification", {"classifier"}},
      {"deit",
       "deit",
       ReadDeit,
       {},
       "DeiTForImageClassificationWithTeacher",
       {"cls_classifier", "distillation_classifier"}},
      {"dinov2",
       "dinov2",
       ReadDinov2,
       {"Dinov2Model"},
       "Dinov2ForImageClassification",
       {"classifier"}},
      {"dinov2_with_registers",
       "dinov2",
       ReadDinov2Registers,
       {"Dinov2WithRegistersModel"},
       "Dinov2WithRegistersForImageClassification",
       {"classifier"}},
      {"bert",
       "bert",
       ReadBert,
       {"BertModel", "BertForPreTraining", "BertForMaskedLM"},
       "BertForSequenceClassification",
       {"classifier"}},
      {"roberta",
       "roberta",
       ReadRoberta,
       {"RobertaModel", "RobertaForMaskedLM"},
       "RobertaForSequenceClassification",
       {"classifier.out_proj"}},
      {"distilbert",
       "distilbert",
       ReadDistilBert,
       {"DistilBertModel", "DistilBertForMaskedLM"},
       "DistilBertForSequenceClassification",
       {"classifier"}},
      {"clip", "clip", ReadImageSide, {"CLIPModel"}, "", {}},
      {"vision-text-dual-encoder",
       "vision_text_dual_encoder",
       ReadImageSide,
       {"VisionTextDualEncoderModel"},
       "",
       {}}};
  return rules;
}

bool TwoSided(const FamilyRule& rule) { return rule.classifiers.empty(); }

// The class that the checkpoint was saved from.
std::string Architecture(const json& config) {
  const json names = config.value("architectures", json::array());
  const bool there = names.is_array() && !names.empty() && names[0].is_string();
  return there ? names[0].get<std::string>() : "";
}

absl::StatusOr<const FamilyRule*> FindRule(const json& config) {
  const json type = config.value("model_type", json());
  const std::string architecture = Architecture(config);
  std::vector<std::string> types, classes;
  for (const FamilyRule& rule : Rules()) {
    if (types.empty() || types.back() != rule.model_type) types.push_back(rule.model_type);
    if (type != rule.model_type) continue;
    std::vector<std::string> names = rule.encoder_classes;
    if (*rule.classifier_class != '\0') names.push_back(rule.classifier_class);
    if (std::find(names.begin(), names.end(), architecture) != names.end()) return &rule;
    classes.insert(classes.end(), names.begin(), names.end());
  }
  if (classes.empty()) {
    return absl::UnimplementedError(absl::StrCat("config.json: model_type: got ", type.dump(),
                                                 ", want one of: ", absl::StrJoin(types, ", ")));
  }
  return absl::UnimplementedError(absl::StrCat("config.json: architectures: got \"", architecture,
                                               "\", want one of: ", absl::StrJoin(classes, ", ")));
}

}  // namespace

absl::StatusOr<FamilyMatch> MatchFamily(const json& config) {
  HYDRA_ASSIGN_OR_RETURN(const FamilyRule* rule, FindRule(config));
  const std::string architecture = Architecture(config);
  return FamilyMatch{.family = rule->family,
                     .architecture = architecture,
                     .classifies = !architecture.empty() && architecture == rule->classifier_class};
}

absl::StatusOr<EncoderConfig> ReadFamily(const json& config, const FamilyMatch& match) {
  HYDRA_ASSIGN_OR_RETURN(const FamilyRule* rule, FindRule(config));
  HYDRA_ASSIGN_OR_RETURN(EncoderConfig encoder, rule->read(config));
  if (TwoSided(*rule)) return encoder;
  if (match.classifies) {
    encoder.head.classifiers = rule->classifiers;
    if (rule->classifiers.size() == 2) encoder.pooling = "cls_distillation";
    return encoder;
  }
  // DistilBERT's dense layer belongs to the classifier.
  encoder.head.pooler.clear();
  if (encoder.head.bare_pooler.empty()) encoder.geometry.pooler = "none";
  encoder.other_root = std::exchange(encoder.root, "");
  return encoder;
}

absl::StatusOr<EncoderConfig> ReadTextSide(const json& config) {
  HYDRA_ASSIGN_OR_RETURN(const FamilyRule* rule, FindRule(config));
  if (!TwoSided(*rule)) {
    return absl::UnimplementedError(
        absl::StrCat("config.json: model_type: got \"", rule->model_type,
                     "\", want clip or vision-text-dual-encoder, which have a text side"));
  }
  HYDRA_ASSIGN_OR_RETURN(const json text, ReadObject(config, "text_config"));
  const bool clip = absl::string_view(rule->model_type) == "clip";
  HYDRA_ASSIGN_OR_RETURN(EncoderConfig encoder,
                         clip ? ReadClipText(text) : ReadTower(text, "text_model."));
  HYDRA_RETURN_IF_ERROR(AddProjection(config, "text_projection.weight", encoder));
  return encoder;
}

absl::StatusOr<std::string> ClassifierArchitecture(const json& config) {
  const json type = config.value("model_type", json());
  const std::string own = Architecture(config);
  std::vector<std::string> classes;
  for (const FamilyRule& rule : Rules()) {
    if (type == rule.model_type && *rule.classifier_class != '\0')
      classes.push_back(rule.classifier_class);
  }
  if (std::find(classes.begin(), classes.end(), own) != classes.end()) return own;
  if (!classes.empty()) return classes.front();
  return absl::UnimplementedError(absl::StrCat("config.json: model_type: got ", type.dump(),
                                               ", want a family with a classifier"));
}

}  // namespace hydra::nn
