#include "model/builder/zeroshot/align_step.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/text_inputs.h"
#include "model/builder/steps/training_watch.h"
#include "model/nn/catch_torch.h"
#include "model/nn/checkpoint/dual_encoder.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

// The text encoder with its projection, ending in features of length 1.
struct TextEncoder {
  nn::Network network;
  InputSettings inputs;
};

absl::StatusOr<TextEncoder> ReadTextEncoder(const AlignStepOptions& options) {
  HYDRA_ASSIGN_OR_RETURN(nn::Checkpoint checkpoint, nn::ImportCheckpoint(options.text));
  artifact::Geometry& geometry = checkpoint.network.geometry;
  if (!artifact::IsTextFamily(checkpoint.family) || geometry.pooler != "tanh" ||
      geometry.classes != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("text: got ", options.text, " of family ", checkpoint.family,
                     ", want a BERT or RoBERTa encoder with its pooler and no classifier"));
  }
  geometry.projection_width = options.projection == 0 ? geometry.width : options.projection;
  checkpoint.network.weights.projection =
      FixedProjection(geometry.projection_width, geometry.width, options.projection_seed)
          .unsqueeze(0);
  TextEncoder encoder;
  HYDRA_ASSIGN_OR_RETURN(encoder.inputs, ReadTextInputs(options.text, geometry.max_positions));
  encoder.network = std::move(checkpoint.network);
  return encoder;
}

// A fresh ViT that ends in the joint space and is classified by the frozen texts.
void Join(const AlignStepOptions& options, const at::Tensor& texts, Prepared& prepared) {
  nn::Network& network = prepared.checkpoint.network;
  artifact::Geometry geometry = network.geometry;
  geometry.pooler = "tanh";
  geometry.projection_width = static_cast<size_t>(texts.size(1));
  network = train::RandomNetwork(geometry, /*prefix_tokens=*/1, options.image.seed);
  network.weights.classifier_weight = (texts * options.logit_scale).unsqueeze(0);
}

absl::Status CheckOptions(const AlignStepOptions& options) {
  if (!(options.logit_scale > 0.0) || options.logit_scale > kMaxLogitScale) {
    return absl::InvalidArgumentError(absl::StrCat("logit_scale: got ", options.logit_scale,
                                                   ", want a number in (0, ", kMaxLogitScale, "]"));
  }
  if (options.image.base.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("base: got ", options.image.base, ", want none: the image encoder is new"));
}

std::string Record(const AlignStepOptions& options, const Prompts& prompts,
                   const Prepared& prepared, const LearningCurve& curve) {
  AlignStepOptions copy = options;
  nlohmann::ordered_json json = {
      {"step", "align"},
      {"options", OptionsJson(Fields(copy))},
      {"templates", prompts.templates},
      {"names", prompts.names},
      {"labels", prepared.checkpoint.labels},
      {"joint_width", prepared.checkpoint.network.geometry.projection_width}};
  for (const char* split : {"train", "select"}) {
    const artifact::Split described = prepared.pool.Describe(split);
    json["splits"][split] = {{"n", described.n}, {"digest", described.digest}};
  }
  json["curve"] = curve.ToJson();
  return json.dump(2) + "\n";
}

}  // namespace

std::vector<OptionField> Fields(AlignStepOptions& options) {
  std::vector<OptionField> fields = {
      {"text", &options.text, "BERT or RoBERTa checkpoint with its pooler, which stays as it is"},
      {"projection", &options.projection, "width of the joint space; 0: the text encoder's"},
      {"logit_scale", &options.logit_scale, "what cosines are multiplied by"},
      {"projection_seed", &options.projection_seed,
       "seed of the text projection where the widths differ"},
  };
  for (OptionField& field : Fields(options.image)) {
    if (field.name != "base" && field.name != "max_tokens") fields.push_back(std::move(field));
  }
  return fields;
}

at::Tensor FixedProjection(size_t joint_width, size_t text_width, size_t seed) {
  const auto rows = static_cast<int64_t>(joint_width), columns = static_cast<int64_t>(text_width);
  if (rows == columns) return at::eye(rows);
  base::Rng rng = base::Rng::ForPurpose(seed, "text projection");
  const int64_t longer = std::max(rows, columns), shorter = std::min(rows, columns);
  at::Tensor vectors = at::empty({shorter, longer}, at::kDouble);
  double* values = vectors.data_ptr<double>();
  for (int64_t i = 0; i < vectors.numel(); ++i) values[i] = rng.Normal();
  // Gram-Schmidt, twice for orthogonality to rounding.
  for (int64_t i = 0; i < shorter; ++i) {
    at::Tensor row = vectors[i];
    for (int round = 0; round < 2 && i > 0; ++round) {
      const at::Tensor before = vectors.narrow(0, 0, i);
      row.sub_(at::matmul(at::matmul(before, row), before));
    }
    row.div_(row.norm());
  }
  return (rows < columns ? vectors : vectors.t()).to(at::kFloat).contiguous();
}

absl::Status RunAlign(const DataOptions& data, const AlignStepOptions& options,
                      const PromptsStepOptions& prompt_options, const std::string& out,
                      StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  const std::string state = out + ".state";
  HYDRA_RETURN_IF_ERROR(CheckOptions(options));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const TextEncoder text, ReadTextEncoder(options));
  HYDRA_ASSIGN_OR_RETURN(Prepared prepared, PrepareVit(data, options.image));
  const Prompts prompts = PromptsOf(prompt_options, prepared.checkpoint.labels);
  if (prompts.names.size() != prepared.checkpoint.labels.size()) {
    return absl::InvalidArgumentError(absl::StrCat("names: got ", prompts.names.size(), ", want ",
                                                   prepared.checkpoint.labels.size()));
  }
  HYDRA_ASSIGN_OR_RETURN(const at::Tensor texts, TextMatrix(text.network, text.inputs, prompts));
  Join(options, texts, prepared);
  HYDRA_ASSIGN_OR_RETURN(LearningCurve curve, LearningCurve::Open(CurvePath(state)));
  HYDRA_RETURN_IF_ERROR(TrainPrepared(
      options.image, {.state = state, .frozen = {"classifier.weight", "classifier.bias"}}, prepared,
      curve, context));
  HYDRA_RETURN_IF_ERROR(
      nn::ExportDualEncoder({.image = prepared.checkpoint.network,
                             .image_settings = prepared.checkpoint.image_settings,
                             .text = options.text,
                             .text_projection = text.network.weights.projection[0],
                             .logit_scale = options.logit_scale},
                            directory.temporary()));
  HYDRA_RETURN_IF_ERROR(WriteTextInputs(text.inputs, directory.temporary()));
  HYDRA_RETURN_IF_ERROR(directory.Write("align.json", Record(options, prompts, prepared, curve)));
  HYDRA_RETURN_IF_ERROR(directory.Commit());
  return RemoveState(state);
}

}  // namespace hydra::builder
