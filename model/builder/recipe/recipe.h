// A recipe: every option of every step of one pipeline.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/builder/calibrating/calibrate_step.h"
#include "model/builder/evaluation/evaluate_step.h"
#include "model/builder/interpreting/interpret_step.h"
#include "model/builder/options/data_options.h"
#include "model/builder/packing/pack_step.h"
#include "model/builder/steps/finetune_step.h"
#include "model/builder/steps/merge_step.h"
#include "model/builder/steps/score_step.h"
#include "model/builder/steps/select_step.h"
#include "model/builder/steps/train_step.h"
#include "model/builder/zeroshot/align_step.h"
#include "model/builder/zeroshot/prompts_step.h"
#include "model/builder/zeroshot/report_step.h"

namespace hydra::builder {

struct Recipe {
  std::string text;  // as read, for the bundle's provenance
  DataOptions data;
  std::string base;                           // checkpoint; empty: trained by `train`
  std::optional<AlignStepOptions> align;      // or trained towards texts; needs `prompts`
  std::optional<PromptsStepOptions> prompts;  // the base becomes a zero-shot classifier
  TrainStepOptions train;
  std::optional<ZeroShotStepOptions> zeroshot;  // also the table of failure scores
  bool wrap = false;                            // the base as it is: M = 1, no pruning
  std::vector<size_t> deep_ensemble_seeds;      // further bases trained for the comparison
  std::vector<std::string> deep_ensemble;       // or further checkpoints
  bool random_masks = false;                    // also make the control with random heads
  ScoreStepOptions score;
  SelectStepOptions select;
  FinetuneStepOptions finetune;
  MergeStepOptions merge;
  CalibrateStepOptions calibrate;
  EvaluateStepOptions evaluate;
  std::optional<InterpretStepOptions> interpret;  // also look at the base's heads
  PackStepOptions pack;
};

// Reads strictly: an unknown key is an error with its path, line and the nearest name.  Relative
// paths are taken from the folder of the recipe.  Errors: as ReadFile; INVALID_ARGUMENT with one
// line per problem.
absl::StatusOr<Recipe> ReadRecipe(const std::string& path);

// The same of a text; `folder` is what relative paths are taken from.
absl::StatusOr<Recipe> ParseRecipe(absl::string_view text, const std::string& source,
                                   const std::string& folder);

}  // namespace hydra::builder
