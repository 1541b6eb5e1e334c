#include "model/builder/recipe/dry_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/base/status_macros.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/quality/predictions.h"
#include "model/builder/source/class_choice.h"
#include "model/builder/source/pool.h"
#include "model/importance/selection.h"

namespace hydra::builder {
namespace {

constexpr size_t kRows = 8;

absl::Status CheckSelection(const Recipe& recipe, const artifact::Geometry& geometry) {
  if (recipe.wrap) return absl::OkStatus();
  // The options' own check, on a table of the base's size.
  const importance::HeadTable table(geometry.layers, std::vector<double>(geometry.heads, 0.0));
  const SelectStepOptions& select = recipe.select;
  const auto chosen =
      select.budget > 0
          ? importance::SelectGlobally(
                {table}, {.budget = select.budget, .at_least_per_layer = select.at_least_per_layer})
          : importance::SelectHeads({table},
                                    {.keep = select.keep, .keep_per_layer = select.keep_per_layer});
  if (chosen.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("select: ", chosen.status().message()));
}

// The base's answers, or features where its classifier comes later, are finite.
absl::Status RunSomeRows(const StoredNetwork& base, const Pool& pool, StepContext context) {
  std::vector<size_t> rows(std::min(kRows, pool.data.examples.size()));
  std::iota(rows.begin(), rows.end(), size_t{0});
  HYDRA_ASSIGN_OR_RETURN(
      const Predictions answers,
      Predict(base.network, SelectRows(pool.data, rows), {.threads = context.threads}));
  for (const float value : answers.logits) {
    if (!std::isfinite(value))
      return absl::FailedPreconditionError("base: its answers are not finite");
  }
  context.console.Line(absl::StrFormat("dry run  base ran on %d rows", rows.size()));
  return absl::OkStatus();
}

absl::StatusOr<StoredNetwork> ReadBase(const Recipe& recipe, const std::string& directory) {
  if (!recipe.prompts.has_value()) return ReadNetwork(directory);
  HYDRA_ASSIGN_OR_RETURN(const std::vector<std::string> labels,
                         PromptLabels(recipe.data, *recipe.prompts));
  return MakeZeroShot(directory, PromptsOf(*recipe.prompts, labels), labels);
}

void DescribePool(const Pool& pool, StepContext context) {
  std::string text = absl::StrFormat(
      "dry run  pool of %d examples, %d classes:", pool.data.examples.size(), pool.classes.size());
  for (const auto& [split, rows] : pool.splits)
    absl::StrAppend(&text, " ", split, " ", rows.size());
  context.console.Line(text);
}

absl::Status ReadOthers(const DataOptions& options, const StoredNetwork& base,
                        const std::vector<std::string>& classes, StepContext context) {
  std::vector<std::pair<std::string, DataSpec>> sets;
  if (!options.test.empty()) {
    HYDRA_ASSIGN_OR_RETURN(const DataSpec spec, ParseDataSpec(options.test));
    sets.emplace_back("test", spec);
  }
  for (const std::string& text : options.ood) {
    HYDRA_ASSIGN_OR_RETURN(sets.emplace_back(), ParseNamedDataSpec(text));
  }
  for (const auto& [name, spec] : sets) {
    HYDRA_ASSIGN_OR_RETURN(LabelledData data, LoadData(spec, base.inputs));
    if (name == "test") {
      HYDRA_ASSIGN_OR_RETURN(ClassChoice choice,
                             ChooseClasses(options, options.test, std::move(data)));
      data = std::move(choice.kept);
      HYDRA_RETURN_IF_ERROR(MatchLabels(classes, {options.test, options.match_labels}, data));
    }
    context.console.Line(absl::StrFormat("dry run  %s: %d examples", name, data.examples.size()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DryRun(const Recipe& recipe, StepContext context) {
  const std::string& directory = recipe.base.empty() ? recipe.train.base : recipe.base;
  if (directory.empty()) {
    return absl::UnimplementedError(
        "dry run: the recipe trains a base from random parameters, want one with a checkpoint");
  }
  HYDRA_ASSIGN_OR_RETURN(StoredNetwork base, ReadBase(recipe, directory));
  if (base.inputs.text.has_value() && recipe.train.max_tokens != 0) {
    base.inputs.text->max_tokens = std::min(base.inputs.text->max_tokens, recipe.train.max_tokens);
  }
  const artifact::Geometry& geometry = base.network.geometry;
  context.console.Line(absl::StrFormat("dry run  base %s: %s, %d layers of %d heads, width %d",
                                       directory, base.family, geometry.layers, geometry.heads,
                                       geometry.width));
  HYDRA_RETURN_IF_ERROR(CheckSelection(recipe, geometry));
  const bool keeps_classes = !recipe.base.empty();
  HYDRA_ASSIGN_OR_RETURN(
      const Pool pool,
      LoadPool(recipe.data, base.inputs, keeps_classes ? base.labels : std::vector<std::string>()));
  DescribePool(pool, context);
  HYDRA_RETURN_IF_ERROR(ReadOthers(recipe.data, base, pool.classes, context));
  return RunSomeRows(base, pool, context);
}

}  // namespace hydra::builder
