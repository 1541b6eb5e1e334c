// The options that `train` and `finetune` hand to the trainer alike.
#pragma once

#include <cstddef>
#include <string>

#include "model/train/trainer.h"

namespace hydra::builder {

// What a run adds to its step's options.
struct TrainerRun {
  size_t steps = 0;
  size_t seed = 0;
  std::string state_path;
};

// `StepOptions`: TrainStepOptions or FinetuneStepOptions.
template <typename StepOptions>
train::TrainOptions TrainerOptions(const StepOptions& options, const TrainerRun& run) {
  return {.steps = run.steps,
          .batch = options.batch,
          .learning_rate = options.lr,
          .warmup_steps = options.warmup,
          .weight_decay = options.weight_decay,
          .clip_norm = options.clip_norm,
          .label_smoothing = options.label_smoothing,
          .dropout = options.dropout,
          .augmentation = {.flip = options.flip, .shift_pixels = options.shift},
          .bfloat16 = options.bf16,
          .seed = run.seed,
          .state_path = run.state_path,
          .save_every_steps = options.save_every};
}

}  // namespace hydra::builder
