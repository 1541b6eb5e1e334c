#include "model/builder/steps/score_step.h"

#include <ATen/Parallel.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/rng.h"
#include "model/base/sha256.h"
#include "model/base/status_macros.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/head_choice.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/source/pool.h"
#include "model/builder/steps/training_watch.h"
#include "model/importance/taylor.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

// Disjoint rows of `pool_rows`, one list per member.
absl::StatusOr<std::vector<std::vector<size_t>>> MemberRows(const std::vector<size_t>& pool_rows,
                                                            const ScoreStepOptions& options) {
  const size_t share = pool_rows.size() / options.members;
  const size_t each = options.images_per_member == 0 ? share : options.images_per_member;
  if (each == 0 || each > share) {
    return absl::InvalidArgumentError(
        absl::StrCat("images_per_member: got ", each, ", want 1..", share, " (", pool_rows.size(),
                     " rows of select for ", options.members, " members)"));
  }
  const std::vector<size_t> order =
      base::Rng::ForPurpose(options.seed, "score subsets").Permutation(pool_rows.size());
  std::vector<std::vector<size_t>> rows(options.members);
  for (size_t m = 0; m < options.members; ++m) {
    for (size_t i = 0; i < each; ++i) rows[m].push_back(pool_rows[order[m * each + i]]);
  }
  return rows;
}

absl::Status ScoreByTaylor(const ScoreStepOptions& options, const StoredNetwork& base,
                           const Pool& pool, HeadScores& scores, StepContext context) {
  importance::TaylorOptions taylor;
  HYDRA_ASSIGN_OR_RETURN(taylor.estimator, importance::ParseTaylorEstimator(options.estimator));
  HYDRA_ASSIGN_OR_RETURN(const auto rows, MemberRows(pool.Rows("select"), options));
  scores.data_digest = pool.Describe("select").digest;
  scores.choices["taylor_estimator"] = options.estimator;
  scores.choices["taylor_images_per_member"] = absl::StrCat(rows[0].size());
  scores.choices["taylor_subsets"] = "disjoint parts of select, one per member";
  for (size_t m = 0; m < options.members; ++m) {
    scores.importance.emplace_back();
    if (!options.shard.Owns(m)) continue;
    HYDRA_ASSIGN_OR_RETURN(
        scores.importance.back(),
        importance::TaylorImportance(base.network, train::Gather(pool.data.examples, rows[m]),
                                     train::GatherLabels(pool.data.examples, rows[m]), taylor));
    context.console.Line(absl::StrFormat("score  member %d of %d on %d images", m + 1,
                                         options.members, rows[m].size()));
  }
  return absl::OkStatus();
}

absl::Status ScoreOnData(const ScoreStepOptions& options, const ScoreSource& source,
                         const SaperPlaces& places, HeadScores& scores, StepContext context) {
  if (options.method == "taylor")
    return ScoreByTaylor(options, source.base, source.pool, scores, context);
  if (options.method == "circuit") return ScoreByCircuit(options.circuit, source, scores, context);
  return ScoreBySaper(options.saper, source, places, scores, context);
}

absl::Status CheckMethod(const ScoreStepOptions& options) {
  if (options.members == 0) return absl::InvalidArgumentError("members: got 0, want at least 1");
  if (options.method == "saper" && !options.shard.whole())
    return absl::InvalidArgumentError("shard: got method saper, which trains one network");
  for (const char* method : {"taylor", "circuit", "saper", "random"}) {
    if (options.method == method) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("method: got \"", options.method, "\", want taylor, circuit, saper or random"));
}

// The scores with the importance of the other shards' members left empty.
std::string ShardOf(ScoreStepOptions options, HeadScores scores) {
  for (size_t m = 0; m < scores.importance.size(); ++m) {
    if (!options.shard.Owns(m)) scores.importance[m].clear();
  }
  const auto json = nlohmann::ordered_json::parse(EncodeHeadScores(scores));
  nlohmann::ordered_json made_from = json;
  made_from.erase("importance");
  made_from["options"] = OptionsJson(Fields(options));
  return EncodeShard("score", options.shard, base::Sha256Hex(made_from.dump()), {{"scores", json}});
}

void ScoreAtRandom(const ScoreStepOptions& options, const artifact::Geometry& geometry,
                   HeadScores& scores) {
  for (size_t m = 0; m < options.members; ++m) {
    base::Rng rng = base::Rng::ForPurpose(options.seed, absl::StrCat("random heads ", m));
    auto& table = scores.importance.emplace_back(geometry.layers);
    for (auto& row : table) {
      for (size_t h = 0; h < geometry.heads; ++h) row.push_back(rng.Uniform());
    }
  }
}

}  // namespace

std::vector<OptionField> Fields(ScoreStepOptions& options) {
  std::vector<OptionField> fields = {
      {"method", &options.method, "taylor, circuit or saper; or random as a control"},
      {"estimator", &options.estimator, "of taylor: per_token, per_example or gate_squared"},
      {"members", &options.members, "members of the ensemble"},
      {"images_per_member", &options.images_per_member,
       "of taylor: images that score a member; 0 divides the select split evenly"},
      {"seed", &options.seed, "seed of the samples, of training, or of random scores"},
  };
  for (const auto& more : {Fields(options.circuit), Fields(options.saper)})
    fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

absl::Status RunScore(const DataOptions& data, const ScoreStepOptions& options,
                      const std::string& base, const std::string& out, StepContext context) {
  at::set_num_threads(static_cast<int>(context.threads));
  HYDRA_RETURN_IF_ERROR(CheckMethod(options));
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork network, ReadNetwork(base));
  HeadScores scores{
      .method = options.method, .base_digest = network.base_digest, .seed = options.seed};
  const std::string state = absl::StrCat(directory.path(), ".state");
  if (options.method == "random") {
    ScoreAtRandom(options, network.network.geometry, scores);
  } else {
    HYDRA_ASSIGN_OR_RETURN(const Pool pool, LoadPool(data, network.inputs, network.labels));
    const SaperPlaces places{.network = absl::StrCat(directory.temporary(), "/", kSoftNetwork),
                             .state = state};
    HYDRA_RETURN_IF_ERROR(ScoreOnData(options, {network, pool, options.members, options.shard},
                                      places, scores, context));
  }
  HYDRA_RETURN_IF_ERROR(options.shard.whole()
                            ? directory.Write("scores.json", EncodeHeadScores(scores))
                            : directory.Write("shard.json", ShardOf(options, scores)));
  HYDRA_RETURN_IF_ERROR(directory.Commit());
  return options.method == "saper" ? RemoveState(state) : absl::OkStatus();
}

}  // namespace hydra::builder
