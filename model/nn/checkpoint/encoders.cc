#include "model/nn/checkpoint/encoders.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/nn/checkpoint/config_reader.h"

namespace hydra::nn {
namespace {

using nlohmann::json;

// Names and defaults of the sizes that every encoder has.
struct SizeKeys {
  const char* width = "hidden_size";
  const char* layers = "num_hidden_layers";
  const char* heads = "num_attention_heads";
  const char* mlp = "intermediate_size";
  const char* activation = "hidden_act";
  size_t default_width = 768, default_layers = 12, default_heads = 12, default_mlp = 3072;
  const char* default_activation = "gelu";
  double default_epsilon = 1e-12;
};

absl::StatusOr<artifact::Geometry> ReadCommon(const json& config, const SizeKeys& keys) {
  artifact::Geometry geometry;
  HYDRA_ASSIGN_OR_RETURN(geometry.width, ReadSize(config, keys.width, keys.default_width));
  HYDRA_ASSIGN_OR_RETURN(geometry.layers, ReadSize(config, keys.layers, keys.default_layers));
  HYDRA_ASSIGN_OR_RETURN(geometry.heads, ReadSize(config, keys.heads, keys.default_heads));
  HYDRA_ASSIGN_OR_RETURN(geometry.mlp_width, ReadSize(config, keys.mlp, keys.default_mlp));
  HYDRA_ASSIGN_OR_RETURN(geometry.activation,
                         ReadActivation(config, keys.activation, keys.default_activation));
  HYDRA_ASSIGN_OR_RETURN(geometry.layer_norm_epsilon, ReadEpsilon(config, keys.default_epsilon));
  if (geometry.width % geometry.heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat("config.json: ", keys.width, ": got ",
                                                   geometry.width, ", want a multiple of ",
                                                   keys.heads, " ", geometry.heads));
  }
  geometry.head_width = geometry.width / geometry.heads;
  return geometry;
}

absl::Status ReadImageSizes(const json& config, size_t default_patch,
                            artifact::Geometry& geometry) {
  HYDRA_ASSIGN_OR_RETURN(geometry.image_height, ReadSize(config, "image_size", 224));
  HYDRA_ASSIGN_OR_RETURN(geometry.patch_size, ReadSize(config, "patch_size", default_patch));
  HYDRA_ASSIGN_OR_RETURN(geometry.channels, ReadSize(config, "num_channels", 3));
  geometry.image_width = geometry.image_height;
  if (geometry.patch_size <= geometry.image_height) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("config.json: patch_size: got ",
                                                 geometry.patch_size, ", want at most image_size ",
                                                 geometry.image_height));
}

// mlp_ratio times the width; of SwiGLU two thirds of it, rounded up to a multiple of 8.
absl::StatusOr<size_t> Dinov2MlpWidth(const json& config, size_t width, bool swiglu) {
  const json ratio = config.value("mlp_ratio", json(4));
  if (!ratio.is_number() || !(ratio.get<double>() > 0.0) || ratio.get<double>() > 64.0) {
    return absl::InvalidArgumentError(
        absl::StrCat("config.json: mlp_ratio: got ", ratio.dump(), ", want a number in (0, 64]"));
  }
  const auto mlp = static_cast<size_t>(static_cast<double>(width) * ratio.get<double>());
  return swiglu ? (mlp * 2 / 3 + 7) / 8 * 8 : mlp;
}

absl::Status CheckTextModel(const json& config) {
  const json position = config.value("position_embedding_type", json("absolute"));
  if (position != "absolute") {
    return absl::UnimplementedError(absl::StrCat("config.json: position_embedding_type: got ",
                                                 position.dump(), ", want \"absolute\""));
  }
  for (const char* key : {"is_decoder", "add_cross_attention"}) {
    HYDRA_ASSIGN_OR_RETURN(const bool decodes, ReadFlag(config, key, false));
    if (decodes)
      return absl::UnimplementedError(absl::StrCat("config.json: ", key, ": got true, want false"));
  }
  return absl::OkStatus();
}

absl::Status ReadTextSizes(const json& config, size_t vocabulary, size_t positions,
                           artifact::Geometry& geometry) {
  HYDRA_RETURN_IF_ERROR(CheckTextModel(config));
  HYDRA_ASSIGN_OR_RETURN(geometry.vocabulary, ReadSize(config, "vocab_size", vocabulary));
  HYDRA_ASSIGN_OR_RETURN(geometry.max_positions,
                         ReadSize(config, "max_position_embeddings", positions));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EncoderConfig> ReadVit(const json& config) {
  EncoderConfig encoder{.prefix_tokens = 1, .root = "vit.", .layout = VitLayout()};
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry, ReadCommon(config, {}));
  HYDRA_RETURN_IF_ERROR(ReadImageSizes(config, 16, encoder.geometry));
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry.qkv_bias, ReadFlag(config, "qkv_bias", true));
  return encoder;
}

absl::StatusOr<EncoderConfig> ReadDeit(const json& config) {
  HYDRA_ASSIGN_OR_RETURN(EncoderConfig encoder, ReadVit(config));
  encoder.prefix_tokens = 2;
  encoder.root = "deit.";
  encoder.layout = DeitLayout();
  return encoder;
}

absl::StatusOr<EncoderConfig> ReadDinov2(const json& config) {
  EncoderConfig encoder{.pooling = "cls_mean", .prefix_tokens = 1, .root = "dinov2."};
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry, ReadCommon(config, {.default_epsilon = 1e-6}));
  artifact::Geometry& geometry = encoder.geometry;
  HYDRA_RETURN_IF_ERROR(ReadImageSizes(config, 14, geometry));
  HYDRA_ASSIGN_OR_RETURN(geometry.qkv_bias, ReadFlag(config, "qkv_bias", true));
  HYDRA_ASSIGN_OR_RETURN(const bool swiglu, ReadFlag(config, "use_swiglu_ffn", false));
  HYDRA_ASSIGN_OR_RETURN(geometry.mlp_width, Dinov2MlpWidth(config, geometry.width, swiglu));
  if (swiglu) geometry.activation = "swiglu";
  encoder.layout = swiglu ? Dinov2Layout("mlp.weights_in", "mlp.weights_out")
                          : Dinov2Layout("mlp.fc1", "mlp.fc2");
  return encoder;
}

absl::StatusOr<EncoderConfig> ReadDinov2Registers(const json& config) {
  HYDRA_ASSIGN_OR_RETURN(EncoderConfig encoder, ReadDinov2(config));
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry.register_tokens,
                         ReadSize(config, "num_register_tokens", 4));
  HYDRA_RETURN_IF_ERROR(ReadImageSizes(config, 16, encoder.geometry));
  encoder.prefix_tokens = 1 + encoder.geometry.register_tokens;
  encoder.root = "dinov2_with_registers.";
  encoder.layout.register_tokens = "embeddings.register_tokens";
  return encoder;
}

absl::StatusOr<EncoderConfig> ReadBert(const json& config) {
  EncoderConfig encoder{.root = "bert.", .layout = BertLayout()};
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry, ReadCommon(config, {}));
  HYDRA_RETURN_IF_ERROR(ReadTextSizes(config, 30522, 512, encoder.geometry));
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry.token_types, ReadSize(config, "type_vocab_size", 2));
  encoder.geometry.norm_first = false;
  encoder.geometry.embedding_norm = true;
  encoder.geometry.pooler = "tanh";
  encoder.head.pooler = "bert.pooler.dense";
  encoder.head.bare_pooler = "pooler.dense";
  return encoder;
}

absl::StatusOr<EncoderConfig> ReadRoberta(const json& config) {
  json with_default = config;
  if (!config.contains("vocab_size")) with_default["vocab_size"] = 50265;
  HYDRA_ASSIGN_OR_RETURN(EncoderConfig encoder, ReadBert(with_default));
  // Positions count from padding_idx + 1.
  const json padding = config.value("pad_token_id", json(1));
  if (!padding.is_number_integer() || padding.get<int64_t>() < 0 ||
      padding.get<int64_t>() + 1 >= static_cast<int64_t>(encoder.geometry.max_positions)) {
    return absl::InvalidArgumentError(absl::StrCat("config.json: pad_token_id: got ",
                                                   padding.dump(),
                                                   ", want 0..max_position_embeddings - 2"));
  }
  encoder.skipped_positions = static_cast<size_t>(padding.get<int64_t>()) + 1;
  encoder.geometry.max_positions -= encoder.skipped_positions;
  encoder.root = "roberta.";
  encoder.head.pooler = "classifier.dense";
  return encoder;
}

absl::StatusOr<EncoderConfig> ReadDistilBert(const json& config) {
  EncoderConfig encoder{.root = "distilbert.", .layout = DistilBertLayout()};
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry, ReadCommon(config, {.width = "dim",
                                                               .layers = "n_layers",
                                                               .heads = "n_heads",
                                                               .mlp = "hidden_dim",
                                                               .activation = "activation",
                                                               .default_layers = 6}));
  HYDRA_RETURN_IF_ERROR(ReadTextSizes(config, 30522, 512, encoder.geometry));
  encoder.geometry.layer_norm_epsilon = 1e-12;  // fixed in the reference
  encoder.geometry.norm_first = false;
  encoder.geometry.embedding_norm = true;
  encoder.geometry.pooler = "relu";
  encoder.head.pooler = "pre_classifier";
  return encoder;
}

absl::StatusOr<EncoderConfig> ReadClipVision(const json& config) {
  EncoderConfig encoder{.prefix_tokens = 1, .root = "vision_model.", .layout = ClipVisionLayout()};
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry, ReadCommon(config, {.default_activation = "quick_gelu",
                                                               .default_epsilon = 1e-5}));
  HYDRA_RETURN_IF_ERROR(ReadImageSizes(config, 32, encoder.geometry));
  encoder.geometry.embedding_norm = true;
  return encoder;
}

absl::StatusOr<EncoderConfig> ReadClipText(const json& config) {
  EncoderConfig encoder{
      .pooling = "last", .causal = true, .root = "text_model.", .layout = ClipTextLayout()};
  HYDRA_ASSIGN_OR_RETURN(encoder.geometry, ReadCommon(config, {.default_width = 512,
                                                               .default_heads = 8,
                                                               .default_mlp = 2048,
                                                               .default_activation = "quick_gelu",
                                                               .default_epsilon = 1e-5}));
  HYDRA_RETURN_IF_ERROR(ReadTextSizes(config, 49408, 77, encoder.geometry));
  return encoder;
}

}  // namespace hydra::nn
