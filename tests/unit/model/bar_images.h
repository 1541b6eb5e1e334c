// A dataset that a tiny network learns in a few steps.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>

#include "model/base/rng.h"
#include "model/train/example_set.h"

namespace hydra::testing {

// Images of 12 x 12 whose class is the brightest of five bars.
inline train::ExampleSet BarImages(size_t count) {
  base::Rng rng(2);
  train::ExampleSet set{.pixels = at::zeros({static_cast<int64_t>(count), 1, 12, 12}, at::kByte),
                        .mean = {0.3},
                        .stddev = {0.3},
                        .labels = at::zeros({static_cast<int64_t>(count)}, at::kLong)};
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    const auto label = static_cast<int64_t>(rng.UniformBelow(5));
    set.labels[i] = label;
    set.pixels[i][0]
        .narrow(0, 2 * label, 2)
        .fill_(150 + static_cast<int64_t>(rng.UniformBelow(100)));
  }
  return set;
}

}  // namespace hydra::testing
