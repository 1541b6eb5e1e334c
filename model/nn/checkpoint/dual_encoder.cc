#include "model/nn/checkpoint/dual_encoder.h"

#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/checkpoint/config.h"
#include "model/nn/checkpoint/config_reader.h"
#include "model/nn/checkpoint/export_tensors.h"
#include "model/nn/checkpoint/weight_files.h"
#include "model/nn/tensor_convert.h"
#include "model/preprocess/processor_config.h"

namespace hydra::nn {
namespace {

using nlohmann::json;
using Tensors = std::map<std::string, at::Tensor>;

constexpr size_t kMaxConfigBytes = size_t{4} << 20;
constexpr char kTextRoot[] = "text_model.";

absl::Status CheckImageSide(const Network& image) {
  const artifact::Geometry& geometry = image.geometry;
  const bool whole =
      image.members == 1 && image.plan.front().heads.front().size() == geometry.heads;
  if (whole && geometry.pooler == "tanh" && geometry.projection_width > 0 &&
      image.pooling == "cls" && geometry.image_height == geometry.image_width) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "export dual encoder: want a ViT of one member with every head, square images, pooler "
      "\"tanh\" and a projection");
}

absl::StatusOr<json> TextConfig(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(const std::string text,
                         base::ReadFile(directory + "/config.json", kMaxConfigBytes));
  HYDRA_ASSIGN_OR_RETURN(json config, ParseObject(text, "config.json"));
  const json type = config.value("model_type", json());
  if (type != "bert" && type != "roberta") {
    return absl::UnimplementedError(absl::StrCat(directory, "/config.json: model_type: got ",
                                                 type.dump(), ", want \"bert\" or \"roberta\""));
  }
  return config;
}

json DualConfig(const DualEncoder& dual, const json& text_config) {
  // ViT's own configuration, whose labels say nothing here.
  json vision = json::parse(FormatVitConfig(dual.image.geometry, {"0", "1"}));
  for (const char* key : {"architectures", "id2label", "label2id", "problem_type"})
    vision.erase(key);
  return {{"model_type", "vision-text-dual-encoder"},
          {"architectures", {"VisionTextDualEncoderModel"}},
          {"projection_dim", dual.image.geometry.projection_width},
          {"logit_scale_init_value", std::log(dual.logit_scale)},
          {"vision_config", vision},
          {"text_config", text_config}};
}

// The encoder's tensors as they are, without what a task put on top.
absl::StatusOr<Tensors> TextTensors(const std::string& directory, const std::string& root) {
  HYDRA_ASSIGN_OR_RETURN(const WeightFiles files, WeightFiles::Open(directory));
  Tensors tensors;
  for (const std::string& name : files.Names()) {
    absl::string_view below = name;
    absl::ConsumePrefix(&below, root);
    const bool encoder = absl::StartsWith(below, "embeddings.") ||
                         absl::StartsWith(below, "encoder.") || absl::StartsWith(below, "pooler.");
    if (!encoder || absl::EndsWith(below, "position_ids")) continue;
    HYDRA_ASSIGN_OR_RETURN(tensors[absl::StrCat(kTextRoot, below)], files.Read(name));
  }
  if (tensors.count("text_model.pooler.dense.weight") == 0) {
    return absl::UnimplementedError(
        absl::StrCat(directory, ": has no pooler, whose output a dual encoder reads"));
  }
  return tensors;
}

}  // namespace

absl::Status ExportDualEncoder(const DualEncoder& dual, const std::string& directory) {
  HYDRA_RETURN_IF_ERROR(CheckImageSide(dual.image));
  HYDRA_ASSIGN_OR_RETURN(const json text_config, TextConfig(dual.text));
  const std::string config_json = DualConfig(dual, text_config).dump(2) + "\n";
  HYDRA_ASSIGN_OR_RETURN(const CheckpointConfig config, ParseCheckpointConfig(config_json, ""));
  const std::string root = text_config["model_type"].get<std::string>() + ".";
  HYDRA_ASSIGN_OR_RETURN(Tensors tensors, TextTensors(dual.text, root));
  HYDRA_ASSIGN_OR_RETURN(const std::string weights, CatchTorch("export dual encoder", [&] {
                           tensors.merge(ExportTensors(dual.image, config.encoder));
                           tensors["text_projection.weight"] = dual.text_projection;
                           tensors["logit_scale"] = at::scalar_tensor(std::log(dual.logit_scale));
                           return EncodeFloatTensors(tensors, {{"format", "pt"}});
                         }));
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(directory + "/config.json", config_json));
  HYDRA_RETURN_IF_ERROR(
      base::WriteFileAtomically(directory + "/preprocessor_config.json",
                                preprocess::FormatProcessorConfig(dual.image_settings, "vit")));
  return base::WriteFileAtomically(directory + "/model.safetensors", weights);
}

}  // namespace hydra::nn
