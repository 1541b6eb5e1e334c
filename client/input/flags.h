// The flags by which the client's programs name their inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/input/source.h"

namespace CLI {
class App;
}

namespace hydra::input {

struct InputFlags {
  std::vector<std::string> images;
  std::string idx;
  std::string idx_labels;
  std::string tensors;
  std::vector<int64_t> shape;
  std::string dtype = "fp32";
  std::vector<std::string> texts;
  std::string text_file;  // "-": the standard input
  size_t skip = 0;
};

// `flags` must outlive `app`.
void AddInputFlags(CLI::App& app, InputFlags& flags);

// Errors: INVALID_ARGUMENT not exactly one kind of input; else as ImageSource,
// TensorSource and TextSource.
absl::StatusOr<std::unique_ptr<Source>> OpenSource(const InputFlags& flags);

}  // namespace hydra::input
