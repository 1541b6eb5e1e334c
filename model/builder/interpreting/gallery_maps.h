// Pictures of a gallery: inputs as they are, and Laplace maps of heads.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/head_map.h"
#include "model/builder/networks/stored_network.h"
#include "model/train/example_set.h"

namespace hydra::builder {

// PNG of the pixels of an image, enlarged by whole factors to 224 pixels at most.
// Errors: as EncodePng.
absl::StatusOr<std::string> InputPicture(const train::ExampleSet& images, size_t row);

// One PNG for each head of the base (M = 1, every head), for one row.  Errors: as CaptureAttention,
// MapTokens and RenderCells; INTERNAL LibTorch's message.
absl::StatusOr<std::vector<std::string>> MapPictures(const StoredNetwork& base,
                                                     const train::ExampleSet& examples, size_t row,
                                                     absl::Span<const artifact::HeadPlace> heads);

}  // namespace hydra::builder
