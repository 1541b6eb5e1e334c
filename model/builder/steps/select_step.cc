#include "model/builder/steps/select_step.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/artifact/codec/head_overlap.h"
#include "model/base/file.h"
#include "model/base/status_macros.h"
#include "model/builder/files/step_directory.h"
#include "model/builder/networks/head_choice.h"
#include "model/importance/selection.h"

namespace hydra::builder {
namespace {

constexpr size_t kMaxScoresBytes = size_t{256} << 20;

void PrintOverlap(const std::vector<std::vector<double>>& overlap, Console& console) {
  for (size_t a = 0; a < overlap.size(); ++a) {
    std::string line = absl::StrFormat("select  overlap of member %d (Jaccard):", a);
    for (const double value : overlap[a]) absl::StrAppendFormat(&line, " %.3f", value);
    console.Line(line);
  }
}

absl::StatusOr<importance::LayerScale> ScaleOf(const SelectStepOptions& options,
                                               const std::string& method) {
  const bool by_method = options.layer_scale.empty();
  if (options.layer_scale == "unit_norm" || (by_method && method == "taylor"))
    return importance::LayerScale::kUnitNorm;
  if (options.layer_scale == "none" || by_method) return importance::LayerScale::kNone;
  return absl::InvalidArgumentError(
      absl::StrCat("layer_scale: got \"", options.layer_scale, "\", want unit_norm or none"));
}

absl::StatusOr<importance::MemberHeads> Choose(const SelectStepOptions& options,
                                               HeadScores& scores) {
  scores.choices["overlap_penalty_ranks"] = absl::StrCat(options.overlap_penalty);
  if (options.budget == 0) {
    scores.choices["heads_kept_per_layer"] = options.keep_per_layer.empty()
                                                 ? absl::StrCat(options.keep)
                                                 : absl::StrJoin(options.keep_per_layer, " ");
    return importance::SelectHeads(scores.importance, {.keep = options.keep,
                                                       .keep_per_layer = options.keep_per_layer,
                                                       .overlap_penalty = options.overlap_penalty});
  }
  HYDRA_ASSIGN_OR_RETURN(const importance::LayerScale scale, ScaleOf(options, scores.method));
  scores.choices["head_budget"] = absl::StrCat(options.budget);
  scores.choices["at_least_per_layer"] = absl::StrCat(options.at_least_per_layer);
  scores.choices["layer_scale"] = scale == importance::LayerScale::kNone ? "none" : "unit_norm";
  return importance::SelectGlobally(scores.importance,
                                    {.budget = options.budget,
                                     .at_least_per_layer = options.at_least_per_layer,
                                     .overlap_penalty = options.overlap_penalty,
                                     .scale = scale});
}

void PrintBudget(const HeadChoice& choice, Console& console) {
  for (size_t m = 0; m < choice.kept.size(); ++m) {
    std::vector<size_t> counts;
    for (const auto& layer : choice.kept[m]) counts.push_back(layer.size());
    console.Line(
        absl::StrFormat("select  heads of member %d per layer: %s", m, absl::StrJoin(counts, " ")));
  }
}

}  // namespace

std::vector<OptionField> Fields(SelectStepOptions& options) {
  return {
      {"keep", &options.keep, "heads kept in every layer of every member"},
      {"keep_per_layer", &options.keep_per_layer, "heads kept in each layer, instead of keep"},
      {"budget", &options.budget, "heads of a member over all layers, instead of keep; 0: none"},
      {"at_least_per_layer", &options.at_least_per_layer,
       "with a budget: the best heads of each layer that stay in any case"},
      {"layer_scale", &options.layer_scale,
       "with a budget: unit_norm (default for taylor) or none (for others)"},
      {"overlap_penalty", &options.overlap_penalty,
       "ranks that a head loses for each earlier member that kept it"},
  };
}

absl::Status RunSelect(const SelectStepOptions& options, const std::string& scores,
                       const std::string& out, StepContext context) {
  HYDRA_ASSIGN_OR_RETURN(StepDirectory directory, StepDirectory::Create(out));
  HYDRA_ASSIGN_OR_RETURN(const std::string text,
                         base::ReadFile(scores + "/scores.json", kMaxScoresBytes));
  HeadChoice choice;
  HYDRA_ASSIGN_OR_RETURN(choice.scores, ParseHeadScores(text));
  HYDRA_ASSIGN_OR_RETURN(choice.kept, Choose(options, choice.scores));
  choice.overlap = artifact::codec::MemberOverlap(HeadMapOf(choice).kept);
  if (options.budget > 0) PrintBudget(choice, context.console);
  PrintOverlap(choice.overlap, context.console);
  HYDRA_RETURN_IF_ERROR(directory.Write("heads.json", EncodeHeadChoice(choice)));
  return directory.Commit();
}

}  // namespace hydra::builder
