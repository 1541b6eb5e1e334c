// preprocess/image.json of a bundle: how an image becomes the network's input.
#pragma once

#include <cstddef>
#include <vector>

namespace hydra::artifact {

enum class ResizeMode {
  kNone,          // the image must already have the wanted size
  kExact,         // to resize_height x resize_width, whatever the aspect ratio
  kShortestEdge,  // the shorter side to `shortest_edge`, the aspect ratio kept
};

enum class ResampleFilter { kBilinear, kBicubic };  // both antialiased, as Pillow computes them

// Steps in this order: convert to `channels`, resize, centre crop to height x width (when the
// resized image is larger), value * rescale_factor, (value - mean) / stddev per channel.
struct ImageSettings {
  size_t height = 0;
  size_t width = 0;
  size_t channels = 3;  // 1 (grey, ITU-R 601-2 luma) or 3 (RGB)
  ResizeMode resize_mode = ResizeMode::kExact;
  size_t resize_height = 0;  // of kExact; at least `height`
  size_t resize_width = 0;   // of kExact; at least `width`
  size_t shortest_edge = 0;  // of kShortestEdge; at least height and width
  ResampleFilter filter = ResampleFilter::kBilinear;
  double rescale_factor = 1.0 / 255.0;
  std::vector<double> mean;    // one per channel
  std::vector<double> stddev;  // one per channel, positive
};

}  // namespace hydra::artifact
