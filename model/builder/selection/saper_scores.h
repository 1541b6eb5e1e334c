// Method "saper" of the step "score": scores learnt together with the network.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/networks/head_choice.h"
#include "model/builder/options/option_field.h"
#include "model/builder/selection/score_source.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct SaperScoreOptions {
  size_t budget = 0;  // heads over all layers
  size_t steps = 50;
  size_t batch = 256;
  double lr = 3e-4;
  double weight_decay = 0.05;
  double clip_norm = 1.0;
  double dropout = 0.1;
  bool flip = true;
  size_t shift = 0;
  bool bf16 = false;
  bool freeze_qkv = true;
  double selector_lr = 2e-2;
  double selector_clip_norm = 5.0;
  std::string start = "small";  // or "unit", "scaled": saper::ScoreStart
  double alpha_start = 1.0;
  double alpha_end = 0.01;
  std::string alpha_shape = "geometric";  // or "cosine", "linear"
  double alpha_from = 0.1;
  double alpha_to = 0.9;
  double budget_warmup = 0.3;
  bool distil = false;
  std::vector<size_t> distil_layers;     // empty: the last
  std::string distil_target = "tokens";  // or "cls_mean"
  double distil_lr = 1e-3;
  std::string clusters;  // JSON file [layers][heads]: members are steered to a cluster each
  double cluster_bonus = 0.25;
  size_t save_every = 20;
};

// Keys start with "saper_".
std::vector<OptionField> Fields(SaperScoreOptions& options);

struct SaperPlaces {
  std::string network;  // directory that gets the network as the soft phase left it
  std::string state;    // file from which an interrupted run goes on
};

// The soft phase on "train".  Fills importance (the scores, or minus the ranks steered to the
// member's cluster) and choices.  Errors: INVALID_ARGUMENT options that make no sense, or a cluster
// table that does not fit; as saper::ChooseSoftly.
absl::Status ScoreBySaper(const SaperScoreOptions& options, const ScoreSource& source,
                          const SaperPlaces& places, HeadScores& scores, StepContext context);

}  // namespace hydra::builder
