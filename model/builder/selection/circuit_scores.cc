#include "model/builder/selection/circuit_scores.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/base/rng.h"
#include "model/base/status_macros.h"
#include "model/builder/source/proxy_ood.h"
#include "model/importance/circuit.h"

namespace hydra::builder {
namespace {

absl::StatusOr<std::vector<size_t>> KeepOf(const CircuitScoreOptions& options,
                                           const artifact::Geometry& geometry) {
  if (!options.keep_per_layer.empty()) return options.keep_per_layer;
  if (options.keep >= 1 && options.keep <= geometry.heads)
    return std::vector<size_t>(geometry.layers, options.keep);
  return absl::InvalidArgumentError(absl::StrCat("circuit_keep: got ", options.keep, ", want 1..",
                                                 geometry.heads, ", the heads of a layer"));
}

absl::StatusOr<std::vector<importance::CircuitObjective>> ObjectivesOf(
    const CircuitScoreOptions& options) {
  if (options.objectives.empty() || options.images == 0) {
    return absl::InvalidArgumentError(absl::StrCat("circuit: got ", options.objectives.size(),
                                                   " objectives and ", options.images,
                                                   " images, want at least 1 of each"));
  }
  std::vector<importance::CircuitObjective> objectives;
  for (const std::string& name : options.objectives) {
    HYDRA_ASSIGN_OR_RETURN(objectives.emplace_back(), importance::ParseCircuitObjective(name));
  }
  return objectives;
}

std::vector<size_t> WithReplacement(size_t count, size_t rows, base::Rng& rng) {
  std::vector<size_t> drawn;
  for (size_t i = 0; i < count; ++i) drawn.push_back(rng.UniformBelow(rows));
  return drawn;
}

// The sample of one member.
importance::CircuitSample Draw(const LabelledData& id, const LabelledData& proxies, size_t images,
                               base::Rng rng) {
  const std::vector<size_t> rows = WithReplacement(images, id.examples.size(), rng);
  const std::vector<size_t> others = WithReplacement(images, proxies.examples.size(), rng);
  return {train::Gather(id.examples, rows), train::GatherLabels(id.examples, rows),
          train::Gather(proxies.examples, others)};
}

void RecordChoices(const CircuitScoreOptions& options, const std::vector<size_t>& keep,
                   HeadScores& scores) {
  scores.choices["circuit_objectives"] = absl::StrJoin(options.objectives, " ");
  scores.choices["circuit_images"] = absl::StrCat(options.images);
  scores.choices["circuit_sample"] =
      "per member, with replacement, from select; as many proxies made from it";
  scores.choices["circuit_heads_per_layer"] = absl::StrJoin(keep, " ");
  scores.choices["circuit_overlap_penalty_ranks"] = absl::StrCat(options.overlap_penalty);
}

}  // namespace

std::vector<OptionField> Fields(CircuitScoreOptions& options) {
  return {
      {"circuit_objectives", &options.objectives,
       "of the members in turn: id_nll, ood_auroc, brier, rank_average"},
      {"circuit_images", &options.images,
       "images of select that score a member, and as many proxies made from it"},
      {"circuit_keep", &options.keep,
       "heads of a layer that become the circuit; a recipe's default is select's"},
      {"circuit_keep_per_layer", &options.keep_per_layer, "the same for each layer"},
      {"circuit_overlap_penalty", &options.overlap_penalty,
       "ranks that a head loses for each earlier member that kept it"},
  };
}

absl::Status ScoreByCircuit(const CircuitScoreOptions& options, const ScoreSource& source,
                            HeadScores& scores, StepContext context) {
  const artifact::Geometry& geometry = source.base.network.geometry;
  importance::CircuitOptions circuit_options;
  HYDRA_ASSIGN_OR_RETURN(circuit_options.keep, KeepOf(options, geometry));
  HYDRA_ASSIGN_OR_RETURN(const auto objectives, ObjectivesOf(options));
  circuit_options.lost_ranks.assign(geometry.layers, std::vector<double>(geometry.heads, 0.0));
  const LabelledData id = source.pool.Select("select");
  const LabelledData proxies = MakeProxyOod(id, geometry.patch_size, scores.seed);
  scores.data_digest = source.pool.Describe("select").digest;
  RecordChoices(options, circuit_options.keep, scores);
  for (size_t m = 0; m < source.members; ++m) {
    // With a penalty each circuit depends on those before it.
    if (options.overlap_penalty == 0.0 && !source.shard.Owns(m)) {
      scores.importance.emplace_back();
      continue;
    }
    circuit_options.objective = objectives[m % objectives.size()];
    const importance::CircuitSample sample =
        Draw(id, proxies, options.images,
             base::Rng::ForPurpose(scores.seed, absl::StrCat("circuit bootstrap ", m)));
    HYDRA_ASSIGN_OR_RETURN(const importance::Circuit circuit,
                           importance::LocateCircuit(source.base.network, sample, circuit_options));
    scores.importance.push_back(circuit.drops);
    for (size_t l = 0; l < geometry.layers; ++l) {
      for (const size_t h : circuit.heads[l])
        circuit_options.lost_ranks[l][h] += options.overlap_penalty;
    }
    context.console.Line(
        absl::StrFormat("score  circuit of member %d of %d by %s", m + 1, source.members,
                        importance::CircuitObjectiveName(circuit_options.objective)));
  }
  return absl::OkStatus();
}

}  // namespace hydra::builder
