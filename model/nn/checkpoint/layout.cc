#include "model/nn/checkpoint/layout.h"

namespace hydra::nn {

EncoderLayout VitLayout() {
  return {
      .patch = "embeddings.patch_embeddings.projection",
      .cls_token = "embeddings.cls_token",
      .position = "embeddings.position_embeddings",
      .layers = "encoder.layer.",
      .norm1 = "layernorm_before",
      .qkv = {"attention.attention.query", "attention.attention.key", "attention.attention.value"},
      .out = "attention.output.dense",
      .norm2 = "layernorm_after",
      .fc1 = "intermediate.dense",
      .fc2 = "output.dense",
      .final_norm = "layernorm"};
}

EncoderLayout DeitLayout() {
  EncoderLayout layout = VitLayout();
  layout.distillation_token = "embeddings.distillation_token";
  return layout;
}

EncoderLayout Dinov2Layout(const std::string& fc1, const std::string& fc2) {
  EncoderLayout layout = VitLayout();
  layout.mask_token = "embeddings.mask_token";
  layout.norm1 = "norm1";
  layout.norm2 = "norm2";
  layout.fc1 = fc1;
  layout.fc2 = fc2;
  layout.scale1 = "layer_scale1.lambda1";
  layout.scale2 = "layer_scale2.lambda1";
  return layout;
}

EncoderLayout BertLayout() {
  return {.word = "embeddings.word_embeddings.weight",
          .token_type = "embeddings.token_type_embeddings.weight",
          .position = "embeddings.position_embeddings.weight",
          .embedding_norm = "embeddings.LayerNorm",
          .layers = "encoder.layer.",
          .norm1 = "attention.output.LayerNorm",
          .qkv = {"attention.self.query", "attention.self.key", "attention.self.value"},
          .out = "attention.output.dense",
          .norm2 = "output.LayerNorm",
          .fc1 = "intermediate.dense",
          .fc2 = "output.dense"};
}

EncoderLayout DistilBertLayout() {
  return {.word = "embeddings.word_embeddings.weight",
          .position = "embeddings.position_embeddings.weight",
          .embedding_norm = "embeddings.LayerNorm",
          .layers = "transformer.layer.",
          .norm1 = "sa_layer_norm",
          .qkv = {"attention.q_lin", "attention.k_lin", "attention.v_lin"},
          .out = "attention.out_lin",
          .norm2 = "output_layer_norm",
          .fc1 = "ffn.lin1",
          .fc2 = "ffn.lin2"};
}

EncoderLayout ClipVisionLayout() {
  return {.patch = "embeddings.patch_embedding",
          .cls_token = "embeddings.class_embedding",
          .position = "embeddings.position_embedding.weight",
          .embedding_norm = "pre_layrnorm",  // sic
          .layers = "encoder.layers.",
          .norm1 = "layer_norm1",
          .qkv = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"},
          .out = "self_attn.out_proj",
          .norm2 = "layer_norm2",
          .fc1 = "mlp.fc1",
          .fc2 = "mlp.fc2",
          .final_norm = "post_layernorm"};
}

EncoderLayout ClipTextLayout() {
  EncoderLayout layout = ClipVisionLayout();
  layout.patch = layout.cls_token = layout.embedding_norm = "";
  layout.word = "embeddings.token_embedding.weight";
  layout.final_norm = "final_layer_norm";
  return layout;
}

}  // namespace hydra::nn
