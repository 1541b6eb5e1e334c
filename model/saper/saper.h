// Soft, then hard pruning of attention heads (SAPER, arXiv 2608.00264): scores of all heads are
// learnt together with the network, then the heads with the largest ones stay.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/base/clock.h"
#include "model/importance/selection.h"
#include "model/nn/network.h"
#include "model/saper/distiller.h"
#include "model/saper/selector.h"
#include "model/train/example_set.h"
#include "model/train/trainer.h"

namespace hydra::saper {

enum class QueryKeyValue {
  kFrozen,  // the projections to q, k and v keep their values
  kTuned,
};

struct SoftOptions {
  train::TrainOptions train;  // of the network; its hooks are the selector's
  SelectorOptions selector;
  QueryKeyValue qkv = QueryKeyValue::kFrozen;
  std::optional<DistilOptions> distil;  // from the base, instead of the cross-entropy
};

struct SoftChoice {
  nn::Network network;            // tuned with soft weights on its heads; all heads are there
  importance::HeadTable scores;   // SelectGlobally with the budget gives the hard choice
  importance::HeadTable weights;  // p at the end
  double hardness = 0.0;          // mean p of the budget's largest scores
};

// The soft phase.  `base`: M = 1, every head.  Deterministic from the options; goes on from
// train.state_path after a kill, with the same result.  Errors: as CheckSelector, CheckDistil and
// Train; INVALID_ARGUMENT a pruned base or one of several members.
absl::StatusOr<SoftChoice> ChooseSoftly(const nn::Network& base, const train::ExampleSet& data,
                                        const SoftOptions& options, const base::Clock& clock,
                                        const train::ProgressCallback& progress);

struct HardOptions {
  train::TrainOptions train;  // 0 steps: nothing is tuned
  QueryKeyValue qkv = QueryKeyValue::kTuned;
  std::optional<DistilOptions> distil;  // from the teacher, instead of the cross-entropy
  size_t classifier_steps = 0;          // with `distil`: then of the classifier alone
};

// Refers to what it is given.
struct TuneContext {
  const base::Clock& clock;
  const train::ProgressCallback& progress;
};

// The hard phase: tunes `network`, from which ensemble::PruneHeads cut the heads that are not kept.
// Distillation, from `teacher` (M = 1), leaves the classifier as it is; `classifier_steps` then
// tune it, with the last LayerNorm, on cross-entropy, and count on in the progress.  Goes on from
// train.state_path, and beside it ".classifier", after a kill.  Errors: as CheckDistil and Train;
// INVALID_ARGUMENT distillation into several members or from another geometry.
absl::Status TuneHard(const nn::Network& teacher, const train::ExampleSet& data,
                      const HardOptions& options, TuneContext context, nn::Network& network);

// Where TuneHard keeps the state of the classifier's steps; empty for an empty path.
std::string ClassifierStatePath(const std::string& state_path);

}  // namespace hydra::saper
