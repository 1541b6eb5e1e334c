// Step "finetune": members with their own heads, tuned one by one or as one network.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct FinetuneStepOptions {
  bool joint = false;  // one network with a shared MLP from the start
  size_t steps = 60;   // 0: heads are removed, nothing is tuned
  size_t batch = 256;
  double lr = 3e-4;
  size_t warmup = 0;
  double weight_decay = 0.05;
  double clip_norm = 1.0;
  double dropout = 0.1;
  double label_smoothing = 0.0;
  bool flip = true;
  size_t shift = 0;
  bool bf16 = false;
  bool bootstrap = true;  // every member weighs every example by its own Poisson(1) draw
  size_t blocks = 0;      // contiguous blocks of layers with one set of parameters each
  std::string block_start = "average";  // of a block's layers, or its "first"
  bool freeze_qkv = false;              // the projections to q, k and v stay as they are
  bool distil = false;  // members learn the teacher's outputs, then the classifier the labels
  std::vector<size_t> distil_layers;     // empty: the last
  std::string distil_target = "tokens";  // or "cls_mean"
  double distil_lr = 1e-3;
  size_t classifier_steps = 20;  // after distillation
  size_t seed = 0;
  size_t save_every = 20;
};

std::vector<OptionField> Fields(FinetuneStepOptions& options);

struct FinetuneInputs {
  std::string base;     // checkpoint, or the network that its members start from
  std::string heads;    // output of select
  std::string teacher;  // of `distil`; empty: `base`
};

// Removes heads from the base as heads.json says, ties the layers of blocks if asked for (a network
// in blocks is stored layer by layer; finetune.json counts its distinct parameters), and tunes on
// "train".
// Writes member-0, member-1, ... or joint (networks/stored_network.h) and finetune.json to `out`.
// State of an interrupted run lies beside `out`.  Errors: FAILED_PRECONDITION heads of another
// checkpoint; as LoadPool, PruneHeads, MergeMembers and Train.
absl::Status RunFinetune(const DataOptions& data, const FinetuneStepOptions& options,
                         const FinetuneInputs& inputs, const std::string& out, StepContext context);

}  // namespace hydra::builder
