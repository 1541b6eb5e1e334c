// Step "train": a ViT from random parameters, or a classifier on a pretrained encoder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/source/input_settings.h"
#include "model/builder/source/pool.h"
#include "model/builder/steps/learning_curve.h"
#include "model/builder/steps/step_context.h"
#include "model/nn/checkpoint/checkpoint.h"

namespace hydra::builder {

struct TrainStepOptions {
  // A checkpoint directory to start from; its geometry, tokenizer and normalisation hold.
  std::string base;
  size_t max_tokens = 0;         // longer texts are cut here; 0: as the checkpoint says
  std::string pooler = "keep";   // of a tuned base, or "identity": the classifier starts from CLS
  double head_lr = 0.0;          // learning rate of the classifier; 0: lr
  std::string decay = "cosine";  // or "linear"
  // Without a base:
  size_t patch_size = 7;
  size_t width = 96;
  size_t layers = 6;
  size_t heads = 8;
  size_t mlp = 192;
  size_t channels = 3;         // of PNG and JPEG files; IDX images have one
  std::vector<double> mean;    // per channel; empty: measured on the train split
  std::vector<double> stddev;  // per channel; empty: measured on the train split
  size_t epochs = 6;
  size_t steps = 0;  // instead of epochs, if not 0
  size_t batch = 256;
  double lr = 1e-3;
  size_t warmup = 0;
  double weight_decay = 0.05;
  double clip_norm = 1.0;
  double dropout = 0.1;
  double label_smoothing = 0.0;
  bool flip = false;
  size_t shift = 0;
  bool bf16 = false;
  size_t seed = 0;
  size_t save_every = 200;
};

std::vector<OptionField> Fields(TrainStepOptions& options);

struct Prepared {
  nn::Checkpoint checkpoint;
  InputSettings inputs;
  Pool pool;
};

// The data with its normalisation and a ViT with fresh parameters.  Errors: as RunTrain.
absl::StatusOr<Prepared> PrepareVit(const DataOptions& data, const TrainStepOptions& options);

struct TrainPlace {
  std::string state;                // where an interrupted run goes on
  std::vector<std::string> frozen;  // parameters that keep their values
};

// Trains the network of `prepared` on "train" and measures "select" after every epoch.
absl::Status TrainPrepared(const TrainStepOptions& options, const TrainPlace& place,
                           Prepared& prepared, LearningCurve& curve, StepContext context);

// Trains on "train" and measures "select" after every epoch.  Writes a Hugging Face checkpoint and
// train.json to `out`.  `state_path` is where an interrupted run goes on; it is removed at the end.
// Errors: INVALID_ARGUMENT a geometry or options that make no sense; as LoadPool, Train and
// StepDirectory.
absl::Status RunTrain(const DataOptions& data, const TrainStepOptions& options,
                      const std::string& out, const std::string& state_path, StepContext context);

}  // namespace hydra::builder
