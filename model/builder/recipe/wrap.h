// The shortest way in: a fine-tuned checkpoint as it is, calibrated and packed.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/builder/options/data_options.h"
#include "model/builder/recipe/recipe.h"

namespace hydra::builder {

struct WrapOptions {
  std::string checkpoint;
  std::string held_out;  // labelled data that the checkpoint was not trained on
  std::string test;      // empty: evaluated on a part of the held-out data
  std::vector<std::string> ood;
  std::string name = "wrapped";
  bool bf16 = false;
  double policy_risk = 0.0;
};

// A recipe with M = 1 and every head, whose splits take fixed shares of the held-out data: select
// 0.1, fit 0.1, path 0.15, certify 0.5, conformal 0.1.  Errors: INVALID_ARGUMENT data that cannot
// be read, or fewer than kMinWrapItems items.
inline constexpr size_t kMinWrapItems = 200;
absl::StatusOr<Recipe> WrapRecipe(const WrapOptions& options);

}  // namespace hydra::builder
