// Golden answers of a network: a few real inputs with the member logits that any server must give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "model/artifact/golden_answers.h"
#include "model/builder/source/labelled_data.h"
#include "model/nn/network.h"

namespace hydra::builder {

struct GoldenOptions {
  double float32_tolerance = 1e-4;
  double bfloat16_margin = 4.0;  // times the measured bfloat16 error
  size_t threads = 1;
  uint64_t seed = 0;  // of the heads that are tried
};

struct Golden {
  artifact::GoldenAnswers answers;
  double bfloat16_error = 0.0;        // measured, relative to the largest logit
  double smallest_head_effect = 0.0;  // smallest relative change when one head's output is zeroed
  size_t heads_tried = 0;
};

// float32 logits of all of `inputs`, and a tolerance for each dtype.  Zeroes heads one at a time
// (all of them, or one of each layer and stream in large networks) and measures what that does.
// Errors: FAILED_PRECONDITION if a zeroed head would pass within a tolerance: the answers could not
// tell a damaged network; as Predict.
absl::StatusOr<Golden> MakeGolden(const nn::Network& network, const LabelledData& inputs,
                                  const GoldenOptions& options);

// For manifests: the measured numbers as text.
std::map<std::string, std::string> GoldenChoices(const Golden& golden);

}  // namespace hydra::builder
