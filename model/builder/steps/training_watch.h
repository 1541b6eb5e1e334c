// Turns a trainer's callbacks into console lines and a learning curve.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "model/builder/source/labelled_data.h"
#include "model/builder/steps/learning_curve.h"
#include "model/builder/steps/step_context.h"
#include "model/nn/network.h"
#include "model/train/trainer.h"

namespace hydra::builder {

struct HeldOutMeasure {
  double loss = 0.0;      // mean over members and rows
  double accuracy = 0.0;  // mean over members and rows
};

// Throws c10::Error; call it inside CatchTorch.
HeldOutMeasure MeasureHeldOut(const nn::Network& network, const LabelledData& data);

// Refers to all it is given.  Measures `held_out` every `measure_every` steps and after the last.
class TrainingWatch {
 public:
  struct Options {
    std::string what;  // "train", "finetune member 1 of 3"
    size_t measure_every = 1;
  };

  TrainingWatch(Options options, const nn::Network& network, const LabelledData& held_out,
                LearningCurve& curve, Console& console)
      : options_(std::move(options)),
        network_(network),
        held_out_(held_out),
        curve_(curve),
        console_(console) {}

  void OnStep(const train::TrainProgress& progress);

  // What went wrong while keeping the curve.
  const absl::Status& status() const { return status_; }

 private:
  void Measure(const train::TrainProgress& progress);

  const Options options_;
  const nn::Network& network_;
  const LabelledData& held_out_;
  LearningCurve& curve_;
  Console& console_;
  size_t steps_seen_ = 0;
  size_t steps_in_sum_ = 0;
  double loss_sum_ = 0.0;
  absl::Status status_;
};

// The state's curve beside it; empty for an empty `state_path`.
std::string CurvePath(const std::string& state_path);

// Removes a finished run's state and curve.  Errors: INTERNAL.
absl::Status RemoveState(const std::string& state_path);

}  // namespace hydra::builder
