// Step "align": an image encoder trained towards frozen texts.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"
#include "model/builder/steps/train_step.h"
#include "model/builder/zeroshot/prompts_step.h"

namespace hydra::builder {

struct AlignStepOptions {
  std::string text;            // checkpoint of a BERT or RoBERTa with its pooler and tokenizer
  size_t projection = 0;       // width of the joint space; 0: the text encoder's
  double logit_scale = 20.0;   // what cosines are multiplied by, fixed
  size_t projection_seed = 0;  // of the text projection where the widths differ
  TrainStepOptions image;      // the ViT and its training, as the step "train" without a base
};

std::vector<OptionField> Fields(AlignStepOptions& options);

// [E, D]: identity if E = D, else seeded random rows that are orthonormal (E < D) or a map with
// orthonormal columns (E > D), which keeps all angles.
at::Tensor FixedProjection(size_t joint_width, size_t text_width, size_t seed);

// Locked-text tuning (Zhai et al. 2022, with the text tower locked): cross-entropy over the classes
// of logit_scale * cosine between an image and the prompts of each class, which do not move.
// Trains on "train" and writes a VisionTextDualEncoder checkpoint with its tokenizer, and
// align.json, to `out`; `state_path` as RunTrain.  Errors: as RunTrain, TextMatrix and
// nn::ExportDualEncoder.
absl::Status RunAlign(const DataOptions& data, const AlignStepOptions& options,
                      const PromptsStepOptions& prompts, const std::string& out,
                      StepContext context);

}  // namespace hydra::builder
