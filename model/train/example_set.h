// Labelled images or texts in memory, and the batches that training draws from them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/image_settings.h"
#include "model/base/rng.h"
#include "model/nn/input.h"

namespace hydra::train {

// N images of one size, normalised on the way out: (pixel * rescale - mean) / stddev per channel.
// Or N texts, as the ids of their tokens.
struct ExampleSet {
  at::Tensor pixels;  // uint8 [N, channels, height, width]; undefined: texts
  std::vector<double> mean, stddev;
  double rescale_factor = 1.0 / 255.0;

  std::vector<std::vector<int64_t>> tokens;  // [N]

  at::Tensor labels;  // int64 [N]; undefined: the data has none

  bool texts() const { return !pixels.defined(); }
  size_t size() const { return texts() ? tokens.size() : static_cast<size_t>(pixels.size(0)); }
};

struct Augmentation {
  bool flip = false;        // left to right, half of the images
  size_t shift_pixels = 0;  // uniform in -shift..shift on both axes, black beyond the edge
};

// The inputs of these rows: normalised float32 images [n, channels, height, width], or texts.
nn::Input Gather(const ExampleSet& set, absl::Span<const size_t> rows);
at::Tensor GatherLabels(const ExampleSet& set, absl::Span<const size_t> rows);

// The same with each image changed at random; texts as they are.
nn::Input GatherAugmented(const ExampleSet& set, absl::Span<const size_t> rows,
                          const Augmentation& augmentation, base::Rng& rng);

// Tokens of the average text, rounded; 0 of images.
size_t MeanTokens(const ExampleSet& set);

// These rows alone.
ExampleSet Select(const ExampleSet& set, absl::Span<const size_t> rows);

}  // namespace hydra::train
