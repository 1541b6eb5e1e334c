#include "model/builder/selection/saper_scores.h"

#include <array>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/artifact/codec/json_reader.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/saper/saper.h"
#include "nlohmann/json.hpp"

namespace hydra::builder {
namespace {

constexpr size_t kMaxClusterBytes = size_t{16} << 20;
constexpr size_t kMaxCount = 4096;  // far above any encoder

template <typename Enum>
struct Word {
  const char* word;
  Enum value;
};

constexpr std::array<Word<saper::ScoreStart>, 3> kStarts = {
    {{"small", saper::ScoreStart::kSmall},
     {"unit", saper::ScoreStart::kUnit},
     {"scaled", saper::ScoreStart::kScaled}}};
constexpr std::array<Word<saper::AnnealShape>, 3> kShapes = {
    {{"geometric", saper::AnnealShape::kGeometric},
     {"cosine", saper::AnnealShape::kCosine},
     {"linear", saper::AnnealShape::kLinear}}};

template <typename Enum>
absl::StatusOr<Enum> ParseWord(absl::string_view key, const std::string& text,
                               const std::array<Word<Enum>, 3>& words) {
  for (const Word<Enum>& entry : words) {
    if (text == entry.word) return entry.value;
  }
  return absl::InvalidArgumentError(absl::StrCat(key, ": got \"", text, "\", want ", words[0].word,
                                                 ", ", words[1].word, " or ", words[2].word));
}

absl::StatusOr<saper::SelectorOptions> SelectorOf(const SaperScoreOptions& options) {
  saper::SelectorOptions selector{.budget = options.budget,
                                  .annealing = {.start = options.alpha_start,
                                                .end = options.alpha_end,
                                                .from = options.alpha_from,
                                                .to = options.alpha_to},
                                  .budget_warmup = options.budget_warmup,
                                  .learning_rate = options.selector_lr,
                                  .clip_norm = options.selector_clip_norm};
  HYDRA_ASSIGN_OR_RETURN(selector.start, ParseWord("saper_start", options.start, kStarts));
  HYDRA_ASSIGN_OR_RETURN(selector.annealing.shape,
                         ParseWord("saper_alpha_shape", options.alpha_shape, kShapes));
  return selector;
}

absl::StatusOr<saper::SoftOptions> SoftOf(const SaperScoreOptions& options, size_t seed,
                                          const std::string& state) {
  saper::SoftOptions soft{
      .train = {.steps = options.steps,
                .batch = options.batch,
                .learning_rate = options.lr,
                .weight_decay = options.weight_decay,
                .clip_norm = options.clip_norm,
                .dropout = options.dropout,
                .augmentation = {.flip = options.flip, .shift_pixels = options.shift},
                .bfloat16 = options.bf16,
                .seed = seed,
                .state_path = state,
                .save_every_steps = options.save_every},
      .qkv = options.freeze_qkv ? saper::QueryKeyValue::kFrozen : saper::QueryKeyValue::kTuned};
  HYDRA_ASSIGN_OR_RETURN(soft.selector, SelectorOf(options));
  if (!options.distil) return soft;
  soft.distil =
      saper::DistilOptions{.layers = options.distil_layers, .learning_rate = options.distil_lr};
  HYDRA_ASSIGN_OR_RETURN(soft.distil->target, saper::ParseDistilTarget(options.distil_target));
  return soft;
}

absl::StatusOr<std::vector<std::vector<size_t>>> ReadClusters(const std::string& path) {
  HYDRA_ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxClusterBytes));
  HYDRA_ASSIGN_OR_RETURN(auto document, artifact::codec::JsonDocument::Parse(text, path));
  std::vector<std::vector<size_t>> clusters;
  for (const auto& layer : document.root().Items({1, kMaxCount}))
    clusters.push_back(layer.Counts({1, kMaxCount}, {0, kMaxCount}));
  HYDRA_RETURN_IF_ERROR(document.Finish());
  return clusters;
}

// One table for each member.
absl::StatusOr<std::vector<importance::HeadTable>> MemberTables(const SaperScoreOptions& options,
                                                                const importance::HeadTable& table,
                                                                size_t members) {
  if (options.clusters.empty()) return std::vector<importance::HeadTable>(members, table);
  HYDRA_ASSIGN_OR_RETURN(const auto clusters, ReadClusters(options.clusters));
  return importance::SteerToClusters(table, clusters, members, options.cluster_bonus);
}

void RecordChoices(const SaperScoreOptions& options, double hardness, HeadScores& scores) {
  SaperScoreOptions copy = options;
  copy.clusters.clear();  // wherever it lies
  scores.choices["saper_options"] = OptionsJson(Fields(copy)).dump();
  scores.choices["saper_mask"] =
      "p = Lap((b - r) / alpha), alpha < 0, on a head's context before the output projection";
  scores.choices["saper_hardness"] = absl::StrFormat("%.4f", hardness);
  scores.choices["saper_members"] =
      options.clusters.empty() ? "one table for all" : "ranks steered to a cluster each";
}

}  // namespace

absl::Status ScoreBySaper(const SaperScoreOptions& options, const ScoreSource& source,
                          const SaperPlaces& places, HeadScores& scores, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(const saper::SoftOptions soft, SoftOf(options, scores.seed, places.state));
  const LabelledData data = source.pool.Select("train");
  const auto report = [&](const train::TrainProgress& progress) {
    context.console.Progress(absl::StrFormat("score  saper %d/%d  loss %.3f", progress.step,
                                             progress.steps, progress.loss),
                             progress.remaining);
  };
  HYDRA_ASSIGN_OR_RETURN(
      saper::SoftChoice choice,
      saper::ChooseSoftly(source.base.network, data.examples, soft, context.clock, report));
  HYDRA_ASSIGN_OR_RETURN(scores.importance, MemberTables(options, choice.scores, source.members));
  scores.data_digest = source.pool.Describe("train").digest;
  RecordChoices(options, choice.hardness, scores);
  context.console.Line(absl::StrFormat("score  saper: %d heads, mask hardness %.3f", options.budget,
                                       choice.hardness));
  StoredNetwork stored = source.base;
  stored.network = std::move(choice.network);
  return WriteNetwork(stored, places.network);
}

}  // namespace hydra::builder
