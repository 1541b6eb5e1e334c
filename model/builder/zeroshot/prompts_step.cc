#include "model/builder/zeroshot/prompts_step.h"

#include <ATen/Parallel.h>
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/text_inputs.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

constexpr size_t kMaxNamesBytes = size_t{1} << 20;

// Of two classes; 1 means that no image can tell them apart.
double LargestCosine(const at::Tensor& matrix) {
  if (matrix.size(0) < 2) return 0.0;
  return (at::matmul(matrix, matrix.t()) - 2 * at::eye(matrix.size(0))).max().item<double>();
}

}  // namespace

std::vector<OptionField> Fields(PromptsStepOptions& options) {
  return {
      {"templates", &options.templates, "texts with {} where the name of the class goes"},
      {"names", &options.names, "names of the classes in prompts; default: their labels"},
      {"names_file", &options.names_file, "file of these names, one a line"},
  };
}

absl::Status ReadNamesFile(PromptsStepOptions& options) {
  if (options.names_file.empty()) return absl::OkStatus();
  if (!options.names.empty()) {
    return absl::InvalidArgumentError("prompts: got names and names_file, want one of them");
  }
  HYDRA_ASSIGN_OR_RETURN(const std::string text,
                         base::ReadFile(options.names_file, kMaxNamesBytes));
  options.names = absl::StrSplit(text, '\n', absl::SkipWhitespace());
  options.names_file.clear();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> PromptLabels(const DataOptions& data,
                                                      const PromptsStepOptions& options) {
  std::vector<std::string> labels = data.classes.empty() ? data.label_names : data.classes;
  std::erase_if(labels, [&](const std::string& label) {
    return std::count(data.held_out_classes.begin(), data.held_out_classes.end(), label) > 0;
  });
  if (labels.empty()) labels = options.names;
  if (labels.empty()) {
    return absl::InvalidArgumentError(
        "prompts: got no class, want data.classes, data.label_names or prompts.names");
  }
  if (!options.names.empty() && options.names.size() != labels.size()) {
    return absl::InvalidArgumentError(absl::StrCat("prompts.names: got ", options.names.size(),
                                                   ", want one for each of the ", labels.size(),
                                                   " classes"));
  }
  return labels;
}

Prompts PromptsOf(const PromptsStepOptions& options, const std::vector<std::string>& labels) {
  return {.templates = options.templates, .names = options.names.empty() ? labels : options.names};
}

absl::StatusOr<StoredNetwork> MakeZeroShot(const std::string& directory, const Prompts& prompts,
                                           const std::vector<std::string>& labels) {
  HYDRA_ASSIGN_OR_RETURN(const nn::Network text_side, nn::ImportTextSide(directory));
  HYDRA_ASSIGN_OR_RETURN(const InputSettings text_inputs,
                         ReadTextInputs(directory, text_side.geometry.max_positions));
  HYDRA_ASSIGN_OR_RETURN(const at::Tensor matrix, TextMatrix(text_side, text_inputs, prompts));
  HYDRA_ASSIGN_OR_RETURN(const double scale, ReadLogitScale(directory));
  HYDRA_ASSIGN_OR_RETURN(StoredNetwork stored, ReadNetwork(directory));
  stored.labels = labels;
  stored.network.geometry.classes = labels.size();
  stored.network.weights.classifier_weight = (matrix * scale).unsqueeze(0);
  stored.network.weights.classifier_bias = at::zeros({1, matrix.size(0)});
  HYDRA_RETURN_IF_ERROR(nn::CheckNetwork(stored.network));
  return stored;
}

absl::Status RunPrompts(const DataOptions& data, const PromptsStepOptions& options,
                        const std::string& checkpoint, const std::string& out,
                        StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const std::vector<std::string> labels, PromptLabels(data, options));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork stored,
                         MakeZeroShot(checkpoint, PromptsOf(options, labels), labels));
  HYDRA_RETURN_IF_ERROR(WriteNetwork(stored, directory.temporary()));
  const at::Tensor rows = stored.network.weights.classifier_weight[0];
  const double scale = rows[0].norm().item<double>();
  const double largest = LargestCosine(rows / scale);
  context.console.Line(
      absl::StrFormat("prompts  %d classes of %d templates, logit scale %.4g, largest cosine of "
                      "two classes %.4f",
                      labels.size(), options.templates.size(), scale, largest));
  PromptsStepOptions copy = options;
  const nlohmann::ordered_json record = {{"step", "prompts"},
                                         {"options", OptionsJson(Fields(copy))},
                                         {"labels", labels},
                                         {"logit_scale", scale},
                                         {"largest_cosine_of_two_classes", largest}};
  HYDRA_RETURN_IF_ERROR(directory.Write("prompts.json", record.dump(2) + "\n"));
  return directory.Commit();
}

}  // namespace hydra::builder
