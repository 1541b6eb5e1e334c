// Where each parameter of a ViT or DeiT layer lies in a Hugging Face checkpoint.
#pragma once

#include <array>
#include <string>

#include "absl/strings/str_cat.h"

namespace hydra::nn {

// Tensor names below "<family>.encoder.layer.<index>.", without ".weight" and ".bias".
struct LayerNames {
  const char* norm1 = "layernorm_before";
  std::array<const char*, 3> qkv = {"attention.attention.query", "attention.attention.key",
                                    "attention.attention.value"};
  const char* out = "attention.output.dense";
  const char* norm2 = "layernorm_after";
  const char* fc1 = "intermediate.dense";
  const char* fc2 = "output.dense";
};

inline std::string LayerPrefix(const std::string& family, size_t layer) {
  return absl::StrCat(family, ".encoder.layer.", layer, ".");
}

}  // namespace hydra::nn
