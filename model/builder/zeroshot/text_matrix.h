// Class names as points of a two-sided checkpoint's joint space.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/builder/source/input_settings.h"
#include "model/nn/network.h"

namespace hydra::builder {

// How a class becomes texts: each "{}" of each template is replaced by its name.
struct Prompts {
  std::vector<std::string> templates;
  std::vector<std::string> names;  // one per class
};

// [C, E]: for each class the mean, scaled to length 1, of the features of its prompts, which have
// length 1 (Radford et al. 2021, section 3.1.4).  `text_side` ends in such features; `inputs` holds
// its tokenizer.  Errors: INVALID_ARGUMENT no class or template, a template without "{}", or a
// prompt longer than the network reads; as text::Tokenizer.
absl::StatusOr<at::Tensor> TextMatrix(const nn::Network& text_side, const InputSettings& inputs,
                                      const Prompts& prompts);

// min(exp(`logit_scale` of the checkpoint), 100): what cosines are multiplied by, with CLIP's cap.
// Errors: as nn::WeightFiles.
inline constexpr double kMaxLogitScale = 100.0;
absl::StatusOr<double> ReadLogitScale(const std::string& directory);

}  // namespace hydra::builder
