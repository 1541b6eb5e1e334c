// Step "interpret": what the base's heads look at, how they group, and what each is worth.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/builder/options/data_options.h"
#include "model/builder/options/option_field.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder {

struct InterpretStepOptions {
  size_t clusters = 3;
  size_t images = 256;  // or texts, of select
  std::string affinity = "shifted";
  bool effects = true;
  size_t maps = 4;  // inputs whose maps the report shows
  size_t seed = 0;
};

std::vector<OptionField> Fields(InterpretStepOptions& options);

// Reads the base and rows of "select"; writes interpret.json and the gallery's pictures
// (interpretation.h) to `out`.  An input that is too short for a map is passed over.
// Errors: INVALID_ARGUMENT options that make no sense, or more images than "select" holds; as
// interpret::ClusterHeads.
absl::Status RunInterpret(const DataOptions& data, const InterpretStepOptions& options,
                          const std::string& base, const std::string& out, StepContext context);

}  // namespace hydra::builder
