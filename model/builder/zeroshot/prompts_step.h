// Step "prompts": a classifier of images from the names of its classes.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"
#include "model/builder/zeroshot/text_matrix.h"

namespace hydra::builder {

struct PromptsStepOptions {
  std::vector<std::string> templates = {"a photo of a {}."};
  std::vector<std::string> names;  // of the classes in prompts; empty: their labels
  std::string names_file;          // the same, one a line
};

std::vector<OptionField> Fields(PromptsStepOptions& options);

// Moves the lines of `names_file`, if there is one, to `names`.  Errors: INVALID_ARGUMENT both are
// given; as ReadFile.
absl::Status ReadNamesFile(PromptsStepOptions& options);

// The labels of the classes: `data.classes`, else `data.label_names`, else the names in prompts.
// Errors: INVALID_ARGUMENT none of them, or another number of names than of labels.
absl::StatusOr<std::vector<std::string>> PromptLabels(const DataOptions& data,
                                                      const PromptsStepOptions& options);

// The templates with the names that stand for `labels`.
Prompts PromptsOf(const PromptsStepOptions& options, const std::vector<std::string>& labels);

// The image side of the CLIP or VisionTextDualEncoder checkpoint in `directory` with the classifier
// logits = logit_scale * cosine with the text of each class.  Errors: as nn::ImportCheckpoint,
// nn::ImportTextSide and TextMatrix.
absl::StatusOr<StoredNetwork> MakeZeroShot(const std::string& directory, const Prompts& prompts,
                                           const std::vector<std::string>& labels);

// Writes the network of MakeZeroShot and prompts.json to `out`; `data` gives the labels only.
absl::Status RunPrompts(const DataOptions& data, const PromptsStepOptions& options,
                        const std::string& checkpoint, const std::string& out, StepContext context);

}  // namespace hydra::builder
