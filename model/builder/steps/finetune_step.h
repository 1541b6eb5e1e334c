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
  // "separate": members one by one, merged afterwards; "joint": one network with a shared MLP from
  // the start; "branch": members share the base up to the last `layers` layers; "reader": members
  // are CLS streams that read the base in those layers.
  std::string mode = "separate";
  size_t layers = 1;                      // of branch and reader
  std::string member_heads = "selected";  // or "all": of branch and reader, whatever was selected
  std::string mlp = "own";                // or "shared" (branch), "tied" or "low_rank" (reader)
  size_t mlp_rank = 0;                    // of "low_rank"
  bool own_keys_values = true;            // k/v of a reader's own token
  double diversity = 0.0;                 // weight of the members' mutual information on proxies
  double exposure = 0.0;                  // weight of the cross-entropy to uniform on proxies
  double ensemble_distillation = 0.0;     // weight of KL(teacher m || member m)
  size_t steps = 60;                      // 0: heads are removed, nothing is tuned
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
  std::vector<std::string> ensemble_teachers;  // checkpoints, one per member
};

// Removes heads from the base as heads.json says, ties the layers of blocks if asked for (a network
// in blocks is stored layer by layer; finetune.json counts its distinct parameters), and tunes on
// "train"; what branches and readers share keeps its values.  Writes member-0, member-1, ... or
// joint (networks/stored_network.h), heads.json with the heads that the members have and
// finetune.json to `out`.  State of an interrupted run lies beside `out`.  Errors:
// FAILED_PRECONDITION heads of another checkpoint; INVALID_ARGUMENT options that do not fit; as
// LoadPool, PruneHeads, MergeMembers, AddReaders, TieBlocks and Train.
absl::Status RunFinetune(const DataOptions& data, const FinetuneStepOptions& options,
                         const FinetuneInputs& inputs, const std::string& out, StepContext context);

}  // namespace hydra::builder
