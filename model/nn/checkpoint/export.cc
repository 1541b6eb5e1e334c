#include <map>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "model/nn/checkpoint/config.h"
#include "model/nn/checkpoint/export_tensors.h"
#include "model/nn/tensor_convert.h"
#include "model/preprocess/processor_config.h"

namespace hydra::nn {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

void PutPair(Tensors& tensors, const std::string& name, const at::Tensor& weight,
             const at::Tensor& bias) {
  tensors[name + ".weight"] = weight;
  tensors[name + ".bias"] = bias;
}

void PutImageEmbeddings(const EncoderConfig& config, const EncoderWeights& weights,
                        Tensors& tensors) {
  const EncoderLayout& layout = config.layout;
  const auto width = static_cast<int64_t>(config.geometry.width);
  const auto patch = static_cast<int64_t>(config.geometry.patch_size);
  PutPair(tensors, config.root + layout.patch, weights.patch_weight.view({width, -1, patch, patch}),
          weights.patch_bias);
  tensors[config.root + layout.cls_token] = weights.prefix[0].view({1, 1, width});
  if (!layout.mask_token.empty()) tensors[config.root + layout.mask_token] = at::zeros({1, width});
  const int64_t placed = layout.distillation_token.empty() ? 1 : 2;
  if (placed == 2)
    tensors[config.root + layout.distillation_token] = weights.prefix[1].view({1, 1, width});
  const auto registers = static_cast<int64_t>(config.geometry.register_tokens);
  const int64_t prefix = placed + registers;
  at::Tensor position = weights.position;
  if (registers > 0) {
    // The reference adds no position to registers: what training put there moves into them.
    tensors[config.root + layout.register_tokens] =
        (weights.prefix + position.narrow(0, 0, prefix)).narrow(0, 1, registers).unsqueeze(0);
    position = at::cat(
        {position.narrow(0, 0, placed), position.narrow(0, prefix, position.size(0) - prefix)});
  }
  tensors[config.root + layout.position] = position.unsqueeze(0);
}

void PutTextEmbeddings(const EncoderConfig& config, const EncoderWeights& weights,
                       Tensors& tensors) {
  const EncoderLayout& layout = config.layout;
  const auto width = static_cast<int64_t>(config.geometry.width);
  const auto skipped = static_cast<int64_t>(config.skipped_positions);
  tensors[config.root + layout.word] = weights.word;
  tensors[config.root + layout.position] = at::cat({at::zeros({skipped, width}), weights.position});
  if (!layout.token_type.empty()) {  // type 0 lies in the positions
    tensors[config.root + layout.token_type] =
        at::zeros({static_cast<int64_t>(config.geometry.token_types), width});
  }
}

void PutLayer(const EncoderConfig& config, const std::string& prefix, const LayerWeights& layer,
              Tensors& tensors) {
  const EncoderLayout& layout = config.layout;
  PutPair(tensors, prefix + layout.norm1, layer.norm1_weight[0], layer.norm1_bias[0]);
  const std::vector<at::Tensor> weights = layer.qkv_weight[0].chunk(3),
                                biases = layer.qkv_bias[0].chunk(3);
  for (size_t i = 0; i < 3; ++i) {
    tensors[prefix + layout.qkv[i] + ".weight"] = weights[i];
    if (config.geometry.qkv_bias) tensors[prefix + layout.qkv[i] + ".bias"] = biases[i];
  }
  PutPair(tensors, prefix + layout.out, layer.out_weight[0], layer.out_bias[0]);
  PutPair(tensors, prefix + layout.norm2, layer.norm2_weight[0], layer.norm2_bias[0]);
  PutPair(tensors, prefix + layout.fc1, layer.fc1_weight[0], layer.fc1_bias[0]);
  PutPair(tensors, prefix + layout.fc2, layer.fc2_weight[0], layer.fc2_bias[0]);
  if (layout.scale1.empty()) return;  // multiplied into the matrices
  const auto width = static_cast<int64_t>(config.geometry.width);
  for (const std::string& scale : {layout.scale1, layout.scale2})
    tensors[prefix + scale] = at::ones({width});
}

}  // namespace

std::map<std::string, at::Tensor> ExportTensors(const Network& network,
                                                const EncoderConfig& config) {
  const EncoderWeights& weights = network.weights;
  Tensors tensors;
  if (config.geometry.patch_size > 0) {
    PutImageEmbeddings(config, weights, tensors);
  } else {
    PutTextEmbeddings(config, weights, tensors);
  }
  if (!config.layout.embedding_norm.empty()) {
    PutPair(tensors, config.root + config.layout.embedding_norm, weights.embedding_norm_weight,
            weights.embedding_norm_bias);
  }
  for (size_t l = 0; l < config.geometry.layers; ++l) {
    PutLayer(config, absl::StrCat(config.root, config.layout.layers, l, "."), weights.layers[l],
             tensors);
  }
  if (!config.layout.final_norm.empty()) {
    PutPair(tensors, config.root + config.layout.final_norm, weights.final_norm_weight[0],
            weights.final_norm_bias[0]);
  }
  if (config.geometry.pooler != "none")
    PutPair(tensors, config.head.pooler, weights.pooler_weight[0], weights.pooler_bias[0]);
  if (config.geometry.projection_width > 0) tensors[config.head.projection] = weights.projection[0];
  if (config.head.classifiers.empty()) return tensors;
  // Several classifiers, whose logits the reference averages, read their inputs side by side.
  const auto count = static_cast<int64_t>(config.head.classifiers.size());
  const std::vector<at::Tensor> matrices = weights.classifier_weight[0].chunk(count, 1);
  for (size_t i = 0; i < matrices.size(); ++i) {
    PutPair(tensors, config.head.classifiers[i], matrices[i] * count, weights.classifier_bias[0]);
  }
  return tensors;
}

absl::Status ExportCheckpoint(const Checkpoint& checkpoint, const std::string& directory) {
  const Network& network = checkpoint.network;
  for (const artifact::LayerPlan& layer : network.plan) {
    if (network.members == 1 && layer.heads.front().size() == network.geometry.heads) continue;
    return absl::FailedPreconditionError(
        "export checkpoint: the layout holds one member with every head; pack a bundle instead");
  }
  if (network.geometry.classes == 0) {
    return absl::UnimplementedError(
        "export checkpoint: the network ends in features, want a classifier");
  }
  if (network.geometry.image_height != network.geometry.image_width) {
    return absl::UnimplementedError(
        absl::StrCat("export checkpoint: the layout wants square images, got ",
                     network.geometry.image_height, " x ", network.geometry.image_width));
  }
  HYDRA_ASSIGN_OR_RETURN(const std::string config_json,
                         FormatConfig(checkpoint.config, network.geometry, checkpoint.labels));
  HYDRA_ASSIGN_OR_RETURN(const CheckpointConfig config, ParseCheckpointConfig(config_json, ""));
  const artifact::Geometry& geometry = network.geometry;
  if (network.pooling != config.encoder.pooling ||
      geometry.pooler != config.encoder.geometry.pooler) {
    return absl::UnimplementedError(
        absl::StrCat("export checkpoint: the layout of ", checkpoint.family, " wants pooling \"",
                     config.encoder.pooling, "\" and pooler \"", config.encoder.geometry.pooler,
                     "\", got \"", network.pooling, "\" and \"", geometry.pooler, "\""));
  }
  HYDRA_ASSIGN_OR_RETURN(
      const std::string weights, CatchTorch("export checkpoint", [&] {
        return EncodeFloatTensors(ExportTensors(network, config.encoder), {{"format", "pt"}});
      }));
  HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(directory + "/config.json", config_json));
  if (geometry.patch_size > 0) {
    HYDRA_RETURN_IF_ERROR(base::WriteFileAtomically(
        directory + "/preprocessor_config.json",
        preprocess::FormatProcessorConfig(checkpoint.image_settings, checkpoint.family)));
  }
  return base::WriteFileAtomically(directory + "/model.safetensors", weights);
}

}  // namespace hydra::nn
