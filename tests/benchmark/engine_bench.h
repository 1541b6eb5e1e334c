// hydra-bench engine: one forward pass of a single model, of a deep ensemble and of a Hydra, from
// one run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace hydra::benchmark {

struct EngineOptions {
  std::string geometry = "vit-base-16";  // or "vit-small-16", "fashion-mnist"
  std::string bundle;  // times this bundle's network instead; empty: random parameters
  std::vector<size_t> batches = {1, 8, 32};
  size_t members = 3;
  size_t keep = 0;  // heads per layer and member, of random parameters; 0: two thirds
  size_t rounds = 15;
  size_t threads = 1;
  std::string numerics = "float32";
  bool json = false;
};

// Prints a table (or one JSON object a line) of CPU milliseconds per input, ratios to the single
// model, exact multiply-accumulates and weight bytes.  Errors: INVALID_ARGUMENT an unknown
// geometry, numerics or keep; whatever opening the bundle says.
absl::Status RunEngineBench(const EngineOptions& options);

}  // namespace hydra::benchmark
