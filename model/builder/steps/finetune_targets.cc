#include "model/builder/steps/finetune_targets.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/artifact/codec/head_overlap.h"
#include "model/base/status_macros.h"
#include "model/ensemble/add_readers.h"
#include "model/ensemble/merge.h"
#include "model/ensemble/prune.h"
#include "model/ensemble/tie_blocks.h"

namespace hydra::builder {
namespace {

using ensemble::KeptHeads;

absl::Status WantOneOf(absl::string_view name, const std::string& got, absl::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": got \"", got, "\", want ", wanted));
}

// The heads of each member: in the layers below `first` those of the base.
absl::StatusOr<std::vector<KeptHeads>> MemberHeads(const FinetuneStepOptions& options,
                                                   const nn::Network& base,
                                                   const HeadChoice& choice, size_t first) {
  if (options.member_heads != "selected" && options.member_heads != "all")
    return WantOneOf("member_heads", options.member_heads, "selected or all");
  std::vector<KeptHeads> members = choice.kept;
  for (KeptHeads& kept : members) {
    for (size_t l = 0; l < kept.size(); ++l) {
      if (l < first || options.member_heads == "all") kept[l] = base.plan[l].heads.front();
    }
  }
  return members;
}

absl::StatusOr<std::vector<nn::Network>> Pruned(const nn::Network& base,
                                                const std::vector<KeptHeads>& members) {
  std::vector<nn::Network> pruned;
  for (const KeptHeads& kept : members) {
    HYDRA_ASSIGN_OR_RETURN(pruned.emplace_back(), ensemble::PruneHeads(base, kept));
  }
  return pruned;
}

// Parameters before layer `first`, by the start of their name.
std::vector<std::string> NamesBelow(size_t first) {
  std::vector<std::string> names = {"patch.", "prefix", "position", "word", "embedding_norm."};
  for (size_t l = 0; l < first; ++l) names.push_back(absl::StrCat("layers.", l, "."));
  return names;
}

absl::StatusOr<nn::Network> MakeBranch(const FinetuneStepOptions& options, const nn::Network& base,
                                       const std::vector<KeptHeads>& kept, size_t first) {
  if (options.mlp != "own" && options.mlp != "shared")
    return WantOneOf("mlp", options.mlp, "own or shared");
  HYDRA_ASSIGN_OR_RETURN(const std::vector<nn::Network> members, Pruned(base, kept));
  const auto part =
      options.mlp == "own" ? ensemble::MergePart::kPerMember : ensemble::MergePart::kAverage;
  return ensemble::MergeMembers(members, {.mlp = part, .norms = part, .split_from = first});
}

// One network whose members share everything below its last `layers` layers.
absl::StatusOr<FinetuneTarget> LateTarget(const FinetuneStepOptions& options,
                                          const StoredNetwork& base, const HeadChoice& choice) {
  const size_t layers = base.network.geometry.layers;
  if (options.layers < 1 || options.layers > layers) {
    return absl::InvalidArgumentError(
        absl::StrCat("layers: got ", options.layers, ", want 1..", layers));
  }
  const size_t first = layers - options.layers;
  HYDRA_ASSIGN_OR_RETURN(const std::vector<KeptHeads> kept,
                         MemberHeads(options, base.network, choice, first));
  FinetuneTarget target{
      .name = "joint", .what = "finetune " + options.mode, .seed = options.seed, .stored = base};
  if (options.mode == "branch") {
    HYDRA_ASSIGN_OR_RETURN(target.stored.network, MakeBranch(options, base.network, kept, first));
    target.frozen = NamesBelow(first);
    return target;
  }
  HYDRA_ASSIGN_OR_RETURN(
      target.stored.network,
      ensemble::AddReaders(base.network, {.members = kept.size(),
                                          .layers = options.layers,
                                          .mlp = options.mlp,
                                          .mlp_rank = options.mlp_rank,
                                          .own_keys_values = options.own_keys_values,
                                          .kept = kept,
                                          .seed = options.seed}));
  target.frozen = NamesBelow(layers);
  target.frozen_trunk = true;
  return target;
}

// The targets before layers are tied.
absl::StatusOr<std::vector<FinetuneTarget>> UntiedTargets(const FinetuneStepOptions& options,
                                                          const StoredNetwork& base,
                                                          const HeadChoice& choice) {
  std::vector<FinetuneTarget> targets;
  if (options.mode == "branch" || options.mode == "reader") {
    HYDRA_ASSIGN_OR_RETURN(targets.emplace_back(), LateTarget(options, base, choice));
    return targets;
  }
  HYDRA_ASSIGN_OR_RETURN(std::vector<nn::Network> members, Pruned(base.network, choice.kept));
  if (options.mode == "joint") {
    targets.push_back(
        {.name = "joint", .what = "finetune joint", .seed = options.seed, .stored = base});
    HYDRA_ASSIGN_OR_RETURN(targets.back().stored.network, ensemble::MergeMembers(members, {}));
    return targets;
  }
  if (options.mode != "separate")
    return WantOneOf("mode", options.mode, "separate, joint, branch or reader");
  for (size_t m = 0; m < members.size(); ++m) {
    targets.push_back({.name = absl::StrCat("member-", m),
                       .what = absl::StrCat("finetune member ", m + 1, " of ", members.size()),
                       .seed = options.seed * 1000 + m,
                       .stored = base});
    targets.back().stored.network = std::move(members[m]);
  }
  return targets;
}

absl::StatusOr<ensemble::TieMode> ParseTieMode(const std::string& text) {
  if (text == "average") return ensemble::TieMode::kAverage;
  if (text == "first") return ensemble::TieMode::kFirst;
  return WantOneOf("block_start", text, "average or first");
}

}  // namespace

absl::StatusOr<std::vector<FinetuneTarget>> MakeTargets(const FinetuneStepOptions& options,
                                                        const StoredNetwork& base,
                                                        const HeadChoice& choice) {
  HYDRA_ASSIGN_OR_RETURN(const ensemble::TieMode mode, ParseTieMode(options.block_start));
  HYDRA_ASSIGN_OR_RETURN(std::vector<FinetuneTarget> targets, UntiedTargets(options, base, choice));
  if (options.blocks == 0) return targets;
  for (FinetuneTarget& target : targets) {
    nn::Network& network = target.stored.network;
    HYDRA_ASSIGN_OR_RETURN(const std::vector<size_t> lengths,
                           ensemble::EvenBlocks(network.plan.size(), options.blocks));
    HYDRA_ASSIGN_OR_RETURN(network, ensemble::TieBlocks(network, lengths, mode));
  }
  return targets;
}

HeadChoice KeptBy(const std::vector<FinetuneTarget>& targets, HeadChoice choice) {
  choice.kept.clear();
  for (const FinetuneTarget& target : targets) {
    const auto by_layer = ensemble::KeptByMember(target.stored.network);  // [layers][members]
    for (size_t m = 0; m < target.stored.network.members; ++m) {
      auto& kept = choice.kept.emplace_back();
      for (const auto& layer : by_layer) kept.push_back(layer[m]);
    }
  }
  choice.overlap = artifact::codec::MemberOverlap(HeadMapOf(choice).kept);
  return choice;
}

}  // namespace hydra::builder
