// Where the parameters of each family lie in a Hugging Face checkpoint.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace hydra::nn {

// Names below the encoder's root ("vit.") without ".weight" and ".bias" unless they end a name of
// their own.  Empty: the family has no such parameter.
struct EncoderLayout {
  // Images.
  std::string patch, cls_token, distillation_token, register_tokens;
  std::string mask_token;  // of pretraining; written as zeros, never read
  // Text.
  std::string word, token_type;
  std::string position;
  std::string embedding_norm;
  // Below `layers`<index>".".
  std::string layers;
  std::string norm1;
  std::array<std::string, 3> qkv;
  std::string out, norm2, fc1, fc2;
  std::string scale1, scale2;  // DINOv2's layer scale
  std::string final_norm;
};

// What follows the encoder; whole names.
struct HeadLayout {
  std::string pooler;
  std::string bare_pooler;  // of a checkpoint without a classifier, below the encoder's root
  std::string projection;
  std::vector<std::string> classifiers;  // DeiT with teacher has two, whose logits are averaged
};

EncoderLayout VitLayout();
EncoderLayout DeitLayout();
EncoderLayout Dinov2Layout(const std::string& fc1, const std::string& fc2);
EncoderLayout BertLayout();  // and RoBERTa
EncoderLayout DistilBertLayout();
EncoderLayout ClipVisionLayout();
EncoderLayout ClipTextLayout();

}  // namespace hydra::nn
