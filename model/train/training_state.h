// The file from which an interrupted training run goes on.
#pragma once

#include <torch/optim/adamw.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/nn/network.h"

namespace hydra::train {

// What a run goes on from.
struct RunState {
  nn::Network& network;
  torch::optim::AdamW& optimiser;
  std::vector<std::pair<std::string, at::Tensor>> further;  // float32, by name
};

// Writes parameters and moments atomically.  `fingerprint` names the run: its options and data.
// Throws c10::Error on LibTorch's side; errors: INTERNAL the system's reason.
absl::Status SaveState(const std::string& path, const std::string& fingerprint, size_t step,
                       const RunState& state);

// Loads into what `state` refers to and returns the number of steps done; 0 if there is no file.
// Errors: FAILED_PRECONDITION a file of another run or of another shape.
absl::StatusOr<size_t> LoadState(const std::string& path, const std::string& fingerprint,
                                 const RunState& state);

}  // namespace hydra::train
