// Labelled images in memory, and the batches that training draws from them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/artifact/image_settings.h"
#include "model/base/rng.h"

namespace hydra::train {

// N images of one size.  Normalised on the way out: (pixel * rescale - mean) / stddev per channel.
struct ImageSet {
  at::Tensor pixels;  // uint8 [N, channels, height, width]
  at::Tensor labels;  // int64 [N]
  std::vector<double> mean, stddev;
  double rescale_factor = 1.0 / 255.0;

  size_t size() const { return pixels.defined() ? static_cast<size_t>(pixels.size(0)) : 0; }
};

struct Augmentation {
  bool flip = false;        // left to right, half of the images
  size_t shift_pixels = 0;  // uniform in -shift..shift on both axes, black beyond the edge
};

// Normalised float32 images [n, channels, height, width] of these rows.
at::Tensor GatherImages(const ImageSet& set, absl::Span<const size_t> rows);
at::Tensor GatherLabels(const ImageSet& set, absl::Span<const size_t> rows);

// The same with each image changed at random.
at::Tensor GatherAugmented(const ImageSet& set, absl::Span<const size_t> rows,
                           const Augmentation& augmentation, base::Rng& rng);

}  // namespace hydra::train
