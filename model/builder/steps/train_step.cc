#include "model/builder/steps/train_step.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/status_macros.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/text_inputs.h"
#include "model/builder/source/pool.h"
#include "model/builder/steps/trainer_options.h"
#include "model/builder/steps/training_watch.h"
#include "model/nn/checkpoint/checkpoint.h"
#include "model/nn/checkpoint/config.h"
#include "model/train/trainer.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

constexpr double kLayerNormEpsilon = 1e-12;  // ViT's default

// Mean and standard deviation per channel of pixel / 255, to four decimals.
void MeasureNormalisation(const at::Tensor& pixels, artifact::ImageSettings& settings) {
  settings.mean.clear();
  settings.stddev.clear();
  for (int64_t c = 0; c < pixels.size(1); ++c) {
    const at::Tensor values = pixels.select(1, c).to(at::kFloat) * settings.rescale_factor;
    settings.mean.push_back(std::round(values.mean().item<double>() * 1e4) / 1e4);
    settings.stddev.push_back(std::max(1e-4, std::round(values.std().item<double>() * 1e4) / 1e4));
  }
}

absl::Status Normalise(const TrainStepOptions& options, Pool& pool,
                       artifact::ImageSettings& settings) {
  if (options.mean.size() != options.stddev.size()) {
    return absl::InvalidArgumentError(absl::StrCat("mean and stddev: got ", options.mean.size(),
                                                   " and ", options.stddev.size(),
                                                   " values, want one of each per channel"));
  }
  if (options.mean.empty()) {
    MeasureNormalisation(pool.Select("train").examples.pixels, settings);
  } else if (options.mean.size() != settings.channels) {
    return absl::InvalidArgumentError(absl::StrCat("mean: got ", options.mean.size(),
                                                   " values, want one for each of the ",
                                                   settings.channels, " channels"));
  } else {
    settings.mean = options.mean;
    settings.stddev = options.stddev;
  }
  pool.data.examples.mean = settings.mean;
  pool.data.examples.stddev = settings.stddev;
  return absl::OkStatus();
}

absl::StatusOr<artifact::Geometry> GeometryOf(const TrainStepOptions& options,
                                              const artifact::ImageSettings& settings,
                                              size_t classes) {
  const auto wrong = [](absl::string_view name, size_t got, absl::string_view want) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": got ", got, ", want ", want));
  };
  if (options.heads == 0 || options.width == 0 || options.width % options.heads != 0)
    return wrong("width", options.width, absl::StrCat("a multiple of ", options.heads, " heads"));
  if (options.patch_size == 0 || settings.height % options.patch_size != 0 ||
      settings.width % options.patch_size != 0)
    return wrong("patch_size", options.patch_size,
                 absl::StrCat("a divisor of ", settings.height, " and ", settings.width));
  if (options.layers == 0) return wrong("layers", 0, "at least 1");
  if (options.mlp == 0) return wrong("mlp", 0, "at least 1");
  return artifact::Geometry{.layers = options.layers,
                            .width = options.width,
                            .heads = options.heads,
                            .head_width = options.width / options.heads,
                            .mlp_width = options.mlp,
                            .classes = classes,
                            .activation = "gelu",
                            .layer_norm_epsilon = kLayerNormEpsilon,
                            .image_height = settings.height,
                            .image_width = settings.width,
                            .channels = settings.channels,
                            .patch_size = options.patch_size};
}

std::string Record(const DataOptions& data, const TrainStepOptions& options, const Pool& pool,
                   const LearningCurve& curve) {
  DataOptions data_copy = data;
  TrainStepOptions copy = options;
  nlohmann::ordered_json json = {{"step", "train"},
                                 {"data", OptionsJson(Fields(data_copy))},
                                 {"options", OptionsJson(Fields(copy))}};
  for (const char* split : {"train", "select"}) {
    const artifact::Split described = pool.Describe(split);
    json["splits"][split] = {{"n", described.n}, {"digest", described.digest}};
  }
  json["curve"] = curve.ToJson();
  return json.dump(2) + "\n";
}

}  // namespace

absl::StatusOr<Prepared> PrepareVit(const DataOptions& data, const TrainStepOptions& options) {
  HYDRA_ASSIGN_OR_RETURN(const DataSpec spec, ParseDataSpec(data.data));
  Prepared prepared{.checkpoint = {.family = "vit"}};
  nn::Checkpoint& checkpoint = prepared.checkpoint;
  artifact::ImageSettings& settings = checkpoint.image_settings;
  HYDRA_ASSIGN_OR_RETURN(settings, NativeSettings(spec, options.channels));
  HYDRA_ASSIGN_OR_RETURN(prepared.pool, LoadPool(data, {.image = settings}, {}));
  HYDRA_RETURN_IF_ERROR(Normalise(options, prepared.pool, settings));
  prepared.inputs.image = settings;
  checkpoint.labels = prepared.pool.classes;
  HYDRA_ASSIGN_OR_RETURN(const artifact::Geometry geometry,
                         GeometryOf(options, settings, checkpoint.labels.size()));
  checkpoint.config = nn::FormatVitConfig(geometry, checkpoint.labels);
  checkpoint.network = train::RandomNetwork(geometry, /*prefix_tokens=*/1, options.seed);
  return prepared;
}

namespace {

// A pretrained encoder with a fresh classifier for the data's classes.
absl::StatusOr<Prepared> PrepareBase(const DataOptions& data, const TrainStepOptions& options) {
  Prepared prepared;
  nn::Checkpoint& checkpoint = prepared.checkpoint;
  HYDRA_ASSIGN_OR_RETURN(checkpoint, nn::ImportCheckpoint(options.base));
  if (artifact::IsImageFamily(checkpoint.family)) {
    prepared.inputs.image = checkpoint.image_settings;
  } else {
    HYDRA_ASSIGN_OR_RETURN(prepared.inputs,
                           ReadTextInputs(options.base, checkpoint.network.geometry.max_positions));
    size_t& longest = prepared.inputs.text->max_tokens;
    if (options.max_tokens != 0) longest = std::min(longest, options.max_tokens);
  }
  HYDRA_ASSIGN_OR_RETURN(prepared.pool, LoadPool(data, prepared.inputs, {}));
  checkpoint.labels = prepared.pool.classes;
  HYDRA_ASSIGN_OR_RETURN(
      checkpoint.config,
      nn::FormatConfig(checkpoint.config, checkpoint.network.geometry, checkpoint.labels));
  HYDRA_ASSIGN_OR_RETURN(const std::string pooler, nn::ClassifierPooler(checkpoint.config));
  if (options.pooler != "keep" && options.pooler != "identity") {
    return absl::InvalidArgumentError(
        absl::StrCat("pooler: got \"", options.pooler, "\", want keep or identity"));
  }
  train::AddClassifier({.classes = checkpoint.labels.size(),
                        .pooler = pooler,
                        .identity_pooler = options.pooler == "identity",
                        .seed = options.seed},
                       checkpoint.network);
  return prepared;
}

absl::StatusOr<Prepared> Prepare(const DataOptions& data, const TrainStepOptions& options) {
  return options.base.empty() ? PrepareVit(data, options) : PrepareBase(data, options);
}

absl::StatusOr<train::Decay> ParseDecay(const std::string& name) {
  if (name == "cosine") return train::Decay::kCosine;
  if (name == "linear") return train::Decay::kLinear;
  return absl::InvalidArgumentError(
      absl::StrCat("decay: got \"", name, "\", want cosine or linear"));
}

size_t StepsPerEpoch(size_t rows, size_t batch) {
  return std::max<size_t>(1, rows / std::clamp<size_t>(batch, 1, rows));
}

size_t CountParameters(nn::Network& network) {
  int64_t count = 0;
  for (const auto& [name, parameter] : nn::NamedParameters(network)) count += parameter->numel();
  return static_cast<size_t>(count);
}

}  // namespace

absl::Status TrainPrepared(const TrainStepOptions& options, const TrainPlace& place,
                           Prepared& prepared, LearningCurve& curve, StepContext context) {
  const LabelledData train_data = prepared.pool.Select("train");
  const LabelledData held_out = prepared.pool.Select("select");
  nn::Network& network = prepared.checkpoint.network;
  const size_t per_epoch = StepsPerEpoch(train_data.examples.size(), options.batch);
  const size_t steps = options.steps != 0 ? options.steps : options.epochs * per_epoch;
  context.console.Line(absl::StrFormat(
      "train  %d examples, %d held out, %d steps of %d, %d parameters", train_data.examples.size(),
      held_out.examples.size(), steps, options.batch, CountParameters(network)));
  TrainingWatch watch({"train", per_epoch}, network, held_out, curve, context.console);
  train::TrainOptions trainer =
      TrainerOptions(options, {.steps = steps, .seed = options.seed, .state_path = place.state});
  trainer.frozen = place.frozen;
  trainer.head_learning_rate = options.head_lr;
  HYDRA_ASSIGN_OR_RETURN(trainer.decay, ParseDecay(options.decay));
  HYDRA_RETURN_IF_ERROR(train::Train(
      train_data.examples, trainer, context.clock,
      [&](const train::TrainProgress& progress) { watch.OnStep(progress); }, network));
  return watch.status();
}

absl::Status RunTrain(const DataOptions& data, const TrainStepOptions& options,
                      const std::string& out, const std::string& state_path, StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(Prepared prepared, Prepare(data, options));
  HYDRA_ASSIGN_OR_RETURN(LearningCurve curve, LearningCurve::Open(CurvePath(state_path)));
  HYDRA_RETURN_IF_ERROR(TrainPrepared(options, {.state = state_path}, prepared, curve, context));
  HYDRA_RETURN_IF_ERROR(nn::ExportCheckpoint(prepared.checkpoint, directory.temporary()));
  if (prepared.inputs.text.has_value())
    HYDRA_RETURN_IF_ERROR(WriteTextInputs(prepared.inputs, directory.temporary()));
  HYDRA_RETURN_IF_ERROR(directory.Write("train.json", Record(data, options, prepared.pool, curve)));
  HYDRA_RETURN_IF_ERROR(directory.Commit());
  return RemoveState(state_path);
}

}  // namespace hydra::builder
