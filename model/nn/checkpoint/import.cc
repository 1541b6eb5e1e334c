#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/nn/catch_torch.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "model/nn/checkpoint/config.h"
#include "model/nn/checkpoint/weight_files.h"

namespace hydra::nn {
namespace {

constexpr size_t kMaxConfigBytes = size_t{4} << 20;
constexpr size_t kMaxImageSide = 4096;  // nobody interpolates to more; larger values are damage

// Reads an encoder's parameters into a network of one member.
class EncoderReader {
 public:
  EncoderReader(const WeightFiles& files, const EncoderConfig& config)
      : files_(files),
        config_(config),
        layout_(config.layout),
        width_(static_cast<int64_t>(config.geometry.width)) {}

  absl::Status ReadAll(Network& network) {
    EncoderWeights& weights = network.weights;
    HYDRA_RETURN_IF_ERROR(config_.geometry.patch_size > 0 ? ReadImageEmbeddings(weights)
                                                          : ReadTextEmbeddings(weights));
    if (!layout_.embedding_norm.empty()) {
      HYDRA_RETURN_IF_ERROR(
          Read(Root(layout_.embedding_norm) + ".weight", {width_}, weights.embedding_norm_weight));
      HYDRA_RETURN_IF_ERROR(
          Read(Root(layout_.embedding_norm) + ".bias", {width_}, weights.embedding_norm_bias));
    }
    for (size_t l = 0; l < config_.geometry.layers; ++l) {
      HYDRA_RETURN_IF_ERROR(
          ReadLayer(Root(absl::StrCat(layout_.layers, l, ".")), weights.layers.emplace_back()));
    }
    return ReadHead(network);
  }

 private:
  std::string Root(const std::string& name) const { return config_.root + name; }

  absl::Status Read(const std::string& name, const std::vector<int64_t>& shape,
                    at::Tensor& target) const {
    HYDRA_ASSIGN_OR_RETURN(target, files_.Read(name, shape));
    return absl::OkStatus();
  }

  // With the leading group dimension of 1.
  absl::Status ReadGroup(const std::string& name, const std::vector<int64_t>& shape,
                         at::Tensor& target) const {
    HYDRA_RETURN_IF_ERROR(Read(name, shape, target));
    target = target.unsqueeze(0);
    return absl::OkStatus();
  }

  absl::Status ReadPair(const std::string& name, const std::vector<int64_t>& shape,
                        std::pair<at::Tensor*, at::Tensor*> target) const {
    HYDRA_RETURN_IF_ERROR(ReadGroup(name + ".weight", shape, *target.first));
    return ReadGroup(name + ".bias", {shape.front()}, *target.second);
  }

  absl::Status ReadImageEmbeddings(EncoderWeights& weights) const {
    const artifact::Geometry& geometry = config_.geometry;
    const auto patch = static_cast<int64_t>(geometry.patch_size);
    const auto channels = static_cast<int64_t>(geometry.channels);
    const int64_t side = static_cast<int64_t>(geometry.image_height) / patch;
    at::Tensor kernel, tokens, position;
    HYDRA_RETURN_IF_ERROR(
        Read(Root(layout_.patch) + ".weight", {width_, channels, patch, patch}, kernel));
    weights.patch_weight = kernel.reshape({width_, -1});
    weights.patch_bias = at::zeros({width_});
    const std::string bias = Root(layout_.patch) + ".bias";  // CLIP has none
    if (files_.Has(bias)) HYDRA_RETURN_IF_ERROR(Read(bias, {width_}, weights.patch_bias));
    HYDRA_RETURN_IF_ERROR(ReadPrefix(weights.prefix));
    // CLIP keeps a table, the others a batch of one.
    const auto placed = static_cast<int64_t>(1 + (layout_.distillation_token.empty() ? 0 : 1));
    std::vector<int64_t> shape = {1, placed + side * side, width_};
    if (absl::string_view(layout_.position).substr(layout_.position.size() - 7) == ".weight")
      shape.erase(shape.begin());
    HYDRA_RETURN_IF_ERROR(Read(Root(layout_.position), shape, position));
    position = position.reshape({-1, width_});
    // Registers have no position.
    const auto registers = static_cast<int64_t>(geometry.register_tokens);
    weights.position = at::cat({position.narrow(0, 0, placed), at::zeros({registers, width_}),
                                position.narrow(0, placed, side * side)});
    return absl::OkStatus();
  }

  absl::Status ReadPrefix(at::Tensor& prefix) const {
    std::vector<at::Tensor> tokens;
    for (const std::string& name :
         {layout_.cls_token, layout_.distillation_token, layout_.register_tokens}) {
      if (name.empty()) continue;
      HYDRA_ASSIGN_OR_RETURN(const at::Tensor token, files_.Read(Root(name)));
      if (token.numel() % width_ != 0) {
        return absl::InvalidArgumentError(absl::StrCat(Root(name), ": got ", token.numel(),
                                                       " values, want a multiple of ", width_));
      }
      tokens.push_back(token.reshape({-1, width_}));
    }
    prefix = at::cat(tokens);
    if (prefix.size(0) == static_cast<int64_t>(config_.prefix_tokens)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("prefix tokens: got ", prefix.size(0), ", want ", config_.prefix_tokens));
  }

  absl::Status ReadTextEmbeddings(EncoderWeights& weights) const {
    const artifact::Geometry& geometry = config_.geometry;
    const auto positions = static_cast<int64_t>(geometry.max_positions);
    const auto skipped = static_cast<int64_t>(config_.skipped_positions);
    HYDRA_RETURN_IF_ERROR(Read(Root(layout_.word),
                               {static_cast<int64_t>(geometry.vocabulary), width_}, weights.word));
    HYDRA_RETURN_IF_ERROR(
        Read(Root(layout_.position), {skipped + positions, width_}, weights.position));
    weights.position = weights.position.narrow(0, skipped, positions).clone();
    if (layout_.token_type.empty()) return absl::OkStatus();
    at::Tensor types;
    HYDRA_RETURN_IF_ERROR(Read(Root(layout_.token_type),
                               {static_cast<int64_t>(geometry.token_types), width_}, types));
    weights.position += types[0];
    return absl::OkStatus();
  }

  absl::Status ReadQkv(const std::string& prefix, LayerWeights& layer) const {
    const auto inner = static_cast<int64_t>(config_.geometry.heads * config_.geometry.head_width);
    std::vector<at::Tensor> weights(3), biases(3, at::zeros({inner}));
    for (size_t i = 0; i < 3; ++i) {
      const std::string name = prefix + layout_.qkv[i];
      HYDRA_RETURN_IF_ERROR(Read(name + ".weight", {inner, width_}, weights[i]));
      if (!config_.geometry.qkv_bias) continue;
      HYDRA_RETURN_IF_ERROR(Read(name + ".bias", {inner}, biases[i]));
    }
    layer.qkv_weight = at::cat(weights).unsqueeze(0);
    layer.qkv_bias = at::cat(biases).unsqueeze(0);
    return absl::OkStatus();
  }

  // W, b -> diag(scale) W, scale * b.
  absl::Status FoldScale(const std::string& name,
                         std::pair<at::Tensor*, at::Tensor*> target) const {
    at::Tensor scale;
    HYDRA_RETURN_IF_ERROR(Read(name, {width_}, scale));
    *target.first = *target.first * scale.unsqueeze(1);
    *target.second = *target.second * scale;
    return absl::OkStatus();
  }

  absl::Status ReadLayer(const std::string& prefix, LayerWeights& layer) const {
    const auto inner = static_cast<int64_t>(config_.geometry.heads * config_.geometry.head_width);
    const auto mlp = static_cast<int64_t>(config_.geometry.mlp_width);
    const auto hidden = static_cast<int64_t>(HiddenRows(config_.geometry));
    HYDRA_RETURN_IF_ERROR(
        ReadPair(prefix + layout_.norm1, {width_}, {&layer.norm1_weight, &layer.norm1_bias}));
    HYDRA_RETURN_IF_ERROR(ReadQkv(prefix, layer));
    HYDRA_RETURN_IF_ERROR(
        ReadPair(prefix + layout_.out, {width_, inner}, {&layer.out_weight, &layer.out_bias}));
    HYDRA_RETURN_IF_ERROR(
        ReadPair(prefix + layout_.norm2, {width_}, {&layer.norm2_weight, &layer.norm2_bias}));
    HYDRA_RETURN_IF_ERROR(
        ReadPair(prefix + layout_.fc1, {hidden, width_}, {&layer.fc1_weight, &layer.fc1_bias}));
    HYDRA_RETURN_IF_ERROR(
        ReadPair(prefix + layout_.fc2, {width_, mlp}, {&layer.fc2_weight, &layer.fc2_bias}));
    if (layout_.scale1.empty()) return absl::OkStatus();
    HYDRA_RETURN_IF_ERROR(FoldScale(prefix + layout_.scale1, {&layer.out_weight, &layer.out_bias}));
    return FoldScale(prefix + layout_.scale2, {&layer.fc2_weight, &layer.fc2_bias});
  }

  absl::Status ReadHead(Network& network) const {
    EncoderWeights& weights = network.weights;
    artifact::Geometry& geometry = network.geometry;
    if (!layout_.final_norm.empty()) {
      HYDRA_RETURN_IF_ERROR(ReadPair(Root(layout_.final_norm), {width_},
                                     {&weights.final_norm_weight, &weights.final_norm_bias}));
    }
    const std::string pooler =
        config_.head.pooler.empty() ? Root(config_.head.bare_pooler) : config_.head.pooler;
    // An encoder may be saved without its pooler; a classifier needs it.
    if (geometry.pooler != "none" && geometry.classes == 0 && geometry.projection_width == 0 &&
        !files_.Has(pooler + ".weight")) {
      geometry.pooler = "none";
    }
    if (geometry.pooler != "none") {
      HYDRA_RETURN_IF_ERROR(
          ReadPair(pooler, {width_, width_}, {&weights.pooler_weight, &weights.pooler_bias}));
    }
    if (geometry.projection_width > 0) {
      HYDRA_RETURN_IF_ERROR(ReadGroup(config_.head.projection,
                                      {static_cast<int64_t>(geometry.projection_width), width_},
                                      weights.projection));
    }
    return geometry.classes > 0 ? ReadClassifier(network) : absl::OkStatus();
  }

  // The mean of several classifiers is one that reads their inputs side by side.
  absl::Status ReadClassifier(Network& network) const {
    const auto classes = static_cast<int64_t>(network.geometry.classes);
    const auto inputs = static_cast<int64_t>(FeatureWidth(network));
    const auto count = static_cast<int64_t>(config_.head.classifiers.size());
    std::vector<at::Tensor> matrices;
    at::Tensor bias_sum = at::zeros({classes});
    for (const std::string& name : config_.head.classifiers) {
      at::Tensor bias;
      HYDRA_RETURN_IF_ERROR(
          Read(name + ".weight", {classes, inputs / count}, matrices.emplace_back()));
      HYDRA_RETURN_IF_ERROR(Read(name + ".bias", {classes}, bias));
      bias_sum += bias;
    }
    network.weights.classifier_weight = (at::cat(matrices, 1) / count).unsqueeze(0);
    network.weights.classifier_bias = (bias_sum / count).unsqueeze(0);
    return absl::OkStatus();
  }

  const WeightFiles& files_;
  const EncoderConfig& config_;
  const EncoderLayout& layout_;
  const int64_t width_;
};

// BertModel saves its tensors without the root that BertForMaskedLM puts before them;
// transformers 5 saves those of a tower below another root than 4 did.
EncoderConfig FindRoot(const WeightFiles& files, EncoderConfig config) {
  const std::string first =
      config.geometry.patch_size > 0 ? config.layout.patch + ".weight" : config.layout.word;
  if (!config.other_root.empty() && files.Has(config.other_root + first))
    config.root = config.other_root;
  return config;
}

absl::StatusOr<Network> ReadNetwork(const WeightFiles& files, const EncoderConfig& described) {
  const EncoderConfig config = FindRoot(files, described);
  return CatchTorch("import checkpoint", [&]() -> absl::StatusOr<Network> {
    Network network{.geometry = config.geometry,
                    .plan = FullPlan(config.geometry, 1),
                    .pooling = config.pooling,
                    .causal = config.causal};
    HYDRA_RETURN_IF_ERROR(EncoderReader(files, config).ReadAll(network));
    HYDRA_RETURN_IF_ERROR(CheckNetwork(network));
    return network;
  });
}

absl::StatusOr<std::string> ReadOptionalFile(const std::string& path) {
  absl::StatusOr<std::string> text = base::ReadFile(path, kMaxConfigBytes);
  if (absl::IsNotFound(text.status())) return std::string();
  return text;
}

absl::Status CheckImageSides(const artifact::ImageSettings& settings, size_t patch_size) {
  for (const size_t side : {settings.height, settings.width}) {
    if (side < patch_size || side > kMaxImageSide) {
      return absl::InvalidArgumentError(
          absl::StrCat("preprocessor_config.json: images of ", settings.height, " x ",
                       settings.width, ", want sides of ", patch_size, "..", kMaxImageSide));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Checkpoint> ImportCheckpoint(const std::string& directory) {
  Checkpoint checkpoint;
  HYDRA_ASSIGN_OR_RETURN(checkpoint.config,
                         base::ReadFile(directory + "/config.json", kMaxConfigBytes));
  HYDRA_ASSIGN_OR_RETURN(std::string preprocessor,
                         ReadOptionalFile(directory + "/preprocessor_config.json"));
  if (preprocessor.empty()) {
    HYDRA_ASSIGN_OR_RETURN(preprocessor, ReadOptionalFile(directory + "/processor_config.json"));
  }
  HYDRA_ASSIGN_OR_RETURN(CheckpointConfig config,
                         ParseCheckpointConfig(checkpoint.config, preprocessor));
  HYDRA_ASSIGN_OR_RETURN(const WeightFiles files, WeightFiles::Open(directory));
  HYDRA_ASSIGN_OR_RETURN(checkpoint.network, ReadNetwork(files, config.encoder));
  checkpoint.family = config.family;
  checkpoint.labels = std::move(config.labels);
  checkpoint.image_settings = std::move(config.image_settings);
  checkpoint.digest = files.digest();
  const artifact::ImageSettings& wanted = checkpoint.image_settings;
  const artifact::Geometry& geometry = checkpoint.network.geometry;
  if (geometry.patch_size > 0 &&
      (wanted.height != geometry.image_height || wanted.width != geometry.image_width)) {
    HYDRA_RETURN_IF_ERROR(CheckImageSides(wanted, geometry.patch_size));
    HYDRA_RETURN_IF_ERROR(CatchTorch("interpolate position embeddings", [&]() -> absl::Status {
      ResizeImage(wanted.height, wanted.width, checkpoint.network);
      return CheckNetwork(checkpoint.network);
    }));
  }
  return checkpoint;
}

absl::StatusOr<Network> ImportTextSide(const std::string& directory) {
  HYDRA_ASSIGN_OR_RETURN(const std::string config_json,
                         base::ReadFile(directory + "/config.json", kMaxConfigBytes));
  HYDRA_ASSIGN_OR_RETURN(const EncoderConfig config, ParseTextSide(config_json));
  HYDRA_ASSIGN_OR_RETURN(const WeightFiles files, WeightFiles::Open(directory));
  return ReadNetwork(files, config);
}

void ResizeImage(size_t height, size_t width, Network& network) {
  artifact::Geometry& geometry = network.geometry;
  EncoderWeights& weights = network.weights;
  const auto patch = static_cast<int64_t>(geometry.patch_size);
  const int64_t rows = static_cast<int64_t>(geometry.image_height) / patch;
  const int64_t columns = static_cast<int64_t>(geometry.image_width) / patch;
  const int64_t new_rows = static_cast<int64_t>(height) / patch;
  const int64_t new_columns = static_cast<int64_t>(width) / patch;
  const int64_t prefix = weights.prefix.size(0);
  const at::Tensor grid = weights.position.narrow(0, prefix, rows * columns)
                              .view({1, rows, columns, -1})
                              .permute({0, 3, 1, 2});
  // The reference of register tokens alone interpolates with antialiasing.
  const std::vector<int64_t> size = {new_rows, new_columns};
  const at::Tensor resized = geometry.register_tokens > 0
                                 ? at::_upsample_bicubic2d_aa(grid, size, /*align_corners=*/false)
                                 : at::upsample_bicubic2d(grid, size, /*align_corners=*/false);
  weights.position = at::cat({weights.position.narrow(0, 0, prefix),
                              resized.permute({0, 2, 3, 1}).reshape({new_rows * new_columns, -1})});
  geometry.image_height = height;
  geometry.image_width = width;
}

}  // namespace hydra::nn
