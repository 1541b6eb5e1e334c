#include "model/builder/recipe/wrap.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"
#include "model/builder/networks/stored_network.h"
#include "model/builder/source/labelled_data.h"

namespace hydra::builder {
namespace {

size_t Share(size_t items, double share) {
  return static_cast<size_t>(static_cast<double>(items) * share);
}

}  // namespace

absl::StatusOr<Recipe> WrapRecipe(const WrapOptions& options) {
  HYDRA_ASSIGN_OR_RETURN(const StoredNetwork stored, ReadNetwork(options.checkpoint));
  HYDRA_ASSIGN_OR_RETURN(const DataSpec spec, ParseDataSpec(options.held_out));
  HYDRA_ASSIGN_OR_RETURN(const LabelledData data, LoadData(spec, stored.inputs));
  const size_t items = data.examples.size();
  if (items < kMinWrapItems) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.held_out, ": got ", items, " items, want at least ", kMinWrapItems));
  }
  Recipe recipe{.base = std::filesystem::absolute(options.checkpoint).string(), .wrap = true};
  recipe.data = {.data = options.held_out,
                 .test = options.test,
                 .ood = options.ood,
                 .splits = {.select = Share(items, 0.1),
                            .fit = Share(items, 0.1),
                            .path = Share(items, 0.15),
                            .certify = Share(items, 0.5),
                            .conformal = Share(items, 0.1)}};
  recipe.calibrate.bf16 = options.bf16;
  recipe.evaluate.final = !options.test.empty();
  recipe.pack.name = options.name;
  recipe.pack.policy_risk = options.policy_risk;
  return recipe;
}

}  // namespace hydra::builder
