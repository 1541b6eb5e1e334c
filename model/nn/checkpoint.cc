#include "model/nn/checkpoint.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "model/artifact/tensor_file.h"
#include "model/base/file.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/checkpoint_config.h"
#include "model/nn/checkpoint_names.h"
#include "model/nn/tensor_convert.h"

namespace hydra::nn {
namespace {

constexpr size_t kMaxConfigBytes = size_t{4} << 20;
constexpr size_t kMaxWeightBytes = size_t{16} << 30;

// Reads a parameter and gives it the leading group dimension of 1.
absl::Status ReadGroup(const artifact::TensorFile& file, const std::string& name,
                       std::vector<int64_t> shape, at::Tensor& target) {
  HYDRA_ASSIGN_OR_RETURN(const at::Tensor tensor, ReadTensor(file, name, shape));
  target = tensor.unsqueeze(0);
  return absl::OkStatus();
}

// <name>.weight [out, in] and <name>.bias [out].
absl::Status ReadLinear(const artifact::TensorFile& file, const std::string& name, int64_t out,
                        int64_t in, std::pair<at::Tensor*, at::Tensor*> target) {
  HYDRA_RETURN_IF_ERROR(ReadGroup(file, name + ".weight", {out, in}, *target.first));
  return ReadGroup(file, name + ".bias", {out}, *target.second);
}

absl::Status ReadNorm(const artifact::TensorFile& file, const std::string& name, int64_t width,
                      std::pair<at::Tensor*, at::Tensor*> target) {
  HYDRA_RETURN_IF_ERROR(ReadGroup(file, name + ".weight", {width}, *target.first));
  return ReadGroup(file, name + ".bias", {width}, *target.second);
}

absl::Status ReadQkv(const artifact::TensorFile& file, const std::string& prefix,
                     const artifact::Geometry& geometry, LayerWeights& layer) {
  const auto width = static_cast<int64_t>(geometry.width);
  const auto inner = static_cast<int64_t>(geometry.heads * geometry.head_width);
  std::vector<at::Tensor> weights, biases;
  for (const char* part : LayerNames{}.qkv) {
    HYDRA_ASSIGN_OR_RETURN(weights.emplace_back(),
                           ReadTensor(file, absl::StrCat(prefix, part, ".weight"), {inner, width}));
    biases.push_back(at::zeros({inner}));
    if (!geometry.qkv_bias) continue;
    HYDRA_ASSIGN_OR_RETURN(biases.back(),
                           ReadTensor(file, absl::StrCat(prefix, part, ".bias"), {inner}));
  }
  layer.qkv_weight = at::cat(weights).unsqueeze(0);
  layer.qkv_bias = at::cat(biases).unsqueeze(0);
  return absl::OkStatus();
}

absl::Status ReadLayer(const artifact::TensorFile& file, const std::string& prefix,
                       const artifact::Geometry& geometry, LayerWeights& layer) {
  const LayerNames names;
  const auto width = static_cast<int64_t>(geometry.width);
  const auto inner = static_cast<int64_t>(geometry.heads * geometry.head_width);
  const auto mlp = static_cast<int64_t>(geometry.mlp_width);
  HYDRA_RETURN_IF_ERROR(
      ReadNorm(file, prefix + names.norm1, width, {&layer.norm1_weight, &layer.norm1_bias}));
  HYDRA_RETURN_IF_ERROR(ReadQkv(file, prefix, geometry, layer));
  HYDRA_RETURN_IF_ERROR(
      ReadLinear(file, prefix + names.out, width, inner, {&layer.out_weight, &layer.out_bias}));
  HYDRA_RETURN_IF_ERROR(
      ReadNorm(file, prefix + names.norm2, width, {&layer.norm2_weight, &layer.norm2_bias}));
  HYDRA_RETURN_IF_ERROR(
      ReadLinear(file, prefix + names.fc1, mlp, width, {&layer.fc1_weight, &layer.fc1_bias}));
  return ReadLinear(file, prefix + names.fc2, width, mlp, {&layer.fc2_weight, &layer.fc2_bias});
}

absl::Status ReadEmbeddings(const artifact::TensorFile& file, const CheckpointConfig& config,
                            EncoderWeights& weights) {
  const artifact::Geometry& geometry = config.geometry;
  const auto width = static_cast<int64_t>(geometry.width);
  const auto patch = static_cast<int64_t>(geometry.patch_size);
  const auto channels = static_cast<int64_t>(geometry.channels);
  const int64_t side = static_cast<int64_t>(geometry.image_height) / patch;
  const auto prefix = static_cast<int64_t>(config.prefix_tokens);
  const std::string root = config.family + ".embeddings.";
  HYDRA_ASSIGN_OR_RETURN(const at::Tensor kernel,
                         ReadTensor(file, root + "patch_embeddings.projection.weight",
                                    {width, channels, patch, patch}));
  weights.patch_weight = kernel.reshape({width, -1});
  HYDRA_ASSIGN_OR_RETURN(weights.patch_bias,
                         ReadTensor(file, root + "patch_embeddings.projection.bias", {width}));
  HYDRA_ASSIGN_OR_RETURN(at::Tensor tokens, ReadTensor(file, root + "cls_token", {1, 1, width}));
  if (prefix == 2) {
    HYDRA_ASSIGN_OR_RETURN(const at::Tensor distillation,
                           ReadTensor(file, root + "distillation_token", {1, 1, width}));
    tokens = at::cat({tokens, distillation}, 1);
  }
  weights.prefix = tokens.reshape({prefix, width});
  HYDRA_ASSIGN_OR_RETURN(const at::Tensor position, ReadTensor(file, root + "position_embeddings",
                                                               {1, prefix + side * side, width}));
  weights.position = position.squeeze(0);
  return absl::OkStatus();
}

absl::Status ReadWeights(const artifact::TensorFile& file, const CheckpointConfig& config,
                         Network& network) {
  const artifact::Geometry& geometry = config.geometry;
  EncoderWeights& weights = network.weights;
  HYDRA_RETURN_IF_ERROR(ReadEmbeddings(file, config, weights));
  for (size_t l = 0; l < geometry.layers; ++l) {
    HYDRA_RETURN_IF_ERROR(
        ReadLayer(file, LayerPrefix(config.family, l), geometry, weights.layers.emplace_back()));
  }
  const auto width = static_cast<int64_t>(geometry.width);
  HYDRA_RETURN_IF_ERROR(ReadNorm(file, config.family + ".layernorm", width,
                                 {&weights.final_norm_weight, &weights.final_norm_bias}));
  return ReadLinear(file, "classifier", static_cast<int64_t>(geometry.classes), width,
                    {&weights.classifier_weight, &weights.classifier_bias});
}

absl::StatusOr<std::string> ReadOptionalFile(const std::string& path) {
  absl::StatusOr<std::string> text = base::ReadFile(path, kMaxConfigBytes);
  if (absl::IsNotFound(text.status())) return std::string();
  return text;
}

void PutLinear(std::map<std::string, at::Tensor>& tensors, const std::string& name,
               const at::Tensor& weight, const at::Tensor& bias) {
  tensors[name + ".weight"] = weight[0];
  tensors[name + ".bias"] = bias[0];
}

void PutLayer(std::map<std::string, at::Tensor>& tensors, const std::string& prefix,
              const LayerWeights& layer, bool qkv_bias) {
  const LayerNames names;
  PutLinear(tensors, prefix + names.norm1, layer.norm1_weight, layer.norm1_bias);
  const std::vector<at::Tensor> weights = layer.qkv_weight[0].chunk(3),
                                biases = layer.qkv_bias[0].chunk(3);
  for (size_t i = 0; i < 3; ++i) {
    tensors[absl::StrCat(prefix, names.qkv[i], ".weight")] = weights[i];
    if (qkv_bias) tensors[absl::StrCat(prefix, names.qkv[i], ".bias")] = biases[i];
  }
  PutLinear(tensors, prefix + names.out, layer.out_weight, layer.out_bias);
  PutLinear(tensors, prefix + names.norm2, layer.norm2_weight, layer.norm2_bias);
  PutLinear(tensors, prefix + names.fc1, layer.fc1_weight, layer.fc1_bias);
  PutLinear(tensors, prefix + names.fc2, layer.fc2_weight, layer.fc2_bias);
}

std::map<std::string, at::Tensor> ExportTensors(const Checkpoint& checkpoint) {
  const artifact::Geometry& geometry = checkpoint.network.geometry;
  const EncoderWeights& weights = checkpoint.network.weights;
  const auto width = static_cast<int64_t>(geometry.width);
  const auto patch = static_cast<int64_t>(geometry.patch_size);
  const std::string root = checkpoint.family + ".embeddings.";
  std::map<std::string, at::Tensor> tensors = {
      {root + "patch_embeddings.projection.weight",
       weights.patch_weight.view({width, -1, patch, patch})},
      {root + "patch_embeddings.projection.bias", weights.patch_bias},
      {root + "cls_token", weights.prefix[0].view({1, 1, width})},
      {root + "position_embeddings", weights.position.unsqueeze(0)}};
  if (weights.prefix.size(0) == 2)
    tensors[root + "distillation_token"] = weights.prefix[1].view({1, 1, width});
  for (size_t l = 0; l < geometry.layers; ++l) {
    PutLayer(tensors, LayerPrefix(checkpoint.family, l), weights.layers[l], geometry.qkv_bias);
  }
  PutLinear(tensors, checkpoint.family + ".layernorm", weights.final_norm_weight,
            weights.final_norm_bias);
  PutLinear(tensors, "classifier", weights.classifier_weight, weights.classifier_bias);
  return tensors;
}

}  // namespace

absl::StatusOr<Checkpoint> ImportCheckpoint(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(const std::string config_json,
                         base::ReadFile(directory + "/config.json", kMaxConfigBytes));
  HYDRA_ASSIGN_OR_RETURN(const std::string preprocessor_json,
                         ReadOptionalFile(directory + "/preprocessor_config.json"));
  HYDRA_ASSIGN_OR_RETURN(const CheckpointConfig config,
                         ParseCheckpointConfig(config_json, preprocessor_json));
  HYDRA_ASSIGN_OR_RETURN(std::string bytes,
                         base::ReadFile(directory + "/model.safetensors", kMaxWeightBytes));
  Checkpoint checkpoint{
      .family = config.family,
      .network = {.geometry = config.geometry, .plan = FullPlan(config.geometry, 1)},
      .labels = config.labels,
      .image_settings = config.image_settings,
      .digest = base::Sha256Hex(bytes)};
  HYDRA_ASSIGN_OR_RETURN(const artifact::TensorFile file,
                         artifact::TensorFile::Parse(std::move(bytes), "model.safetensors"));
  HYDRA_RETURN_IF_ERROR(CatchTorch("import checkpoint", [&] {
    HYDRA_RETURN_IF_ERROR(ReadWeights(file, config, checkpoint.network));
    return CheckNetwork(checkpoint.network);
  }));
  return checkpoint;
}

absl::Status ExportCheckpoint(const Checkpoint& checkpoint, const std::string& directory) {
  const artifact::Geometry& geometry = checkpoint.network.geometry;
  for (const artifact::LayerPlan& layer : checkpoint.network.plan) {
    if (checkpoint.network.members == 1 && layer.heads.front().size() == geometry.heads) continue;
    return absl::FailedPreconditionError(
        "export checkpoint: the layout holds one member with every head; pack a bundle instead");
  }
  const CheckpointConfig config{.family = checkpoint.family,
                                .geometry = geometry,
                                .labels = checkpoint.labels,
                                .image_settings = checkpoint.image_settings};
  HYDRA_ASSIGN_OR_RETURN(const std::string weights, CatchTorch("export checkpoint", [&] {
                           return EncodeFloatTensors(ExportTensors(checkpoint), {{"format", "pt"}});
                         }));
  HYDRA_RETURN_IF_ERROR(
      base::WriteFileAtomically(directory + "/config.json", FormatConfig(config)));
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(directory + "/preprocessor_config.json",
                                                  FormatPreprocessor(config)));
  return base::WriteFileAtomically(directory + "/model.safetensors", weights);
}

}  // namespace hydra::nn
