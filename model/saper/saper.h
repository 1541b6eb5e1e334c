// Soft, then hard pruning of attention heads (SAPER, arXiv 2608.00264): scores of all heads are
// learnt together with the network, then the heads with the largest ones stay.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "model/base/clock.h"
#include "model/ensemble/prune.h"
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
  train::TrainOptions train;  // 0 steps: heads are removed, nothing is tuned
  QueryKeyValue qkv = QueryKeyValue::kTuned;
  std::optional<DistilOptions> distil;  // from the teacher, instead of the cross-entropy
  size_t classifier_steps = 0;          // with `distil`: then of the classifier alone
};

struct HardStart {
  const nn::Network& soft;         // with all heads
  const ensemble::KeptHeads kept;  // of them
  const nn::Network& teacher;      // of the distillation
};

// The hard phase: the heads that are not kept are cut off, the rest is tuned.  Distillation leaves
// the classifier as it is; `classifier_steps` then tune it, and the last LayerNorm, on
// cross-entropy. Errors: as ensemble::PruneHeads, CheckDistil and Train.
absl::StatusOr<nn::Network> TuneHard(const HardStart& start, const train::ExampleSet& data,
                                     const HardOptions& options, const base::Clock& clock,
                                     const train::ProgressCallback& progress);

}  // namespace hydra::saper
