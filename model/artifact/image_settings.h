// preprocess/image.json of a bundle: how an image becomes the network's input.
#pragma once

#include <cstddef>
#include <vector>

namespace hydra::artifact {

enum class ResizeMode {
  kNone,          // the image keeps its size
  kExact,         // to resize_height x resize_width, whatever the aspect ratio
  kShortestEdge,  // the shorter side to `shortest_edge`, the aspect ratio kept
};

// As Pillow computes them: all but kNearest antialiased.
enum class ResampleFilter { kBilinear, kBicubic, kNearest, kLanczos, kBox, kHamming };

// What happens to an image that is smaller than height x width after the resize, and, without a
// resize, to one that is larger.
enum class CropMode {
  kInside,      // smaller is refused; without a resize every other size is
  kZeroPadded,  // the centre is cut out and what is missing around it is 0 before the rescale
};

// What happens to the pixels of the colour that an RGB PNG file declares transparent.
enum class TransparentPixels { kShown, kWhite };

// Steps in this order: convert to `channels`, transparent pixels, resize, centre crop to height x
// width, value * rescale_factor, (value - mean) / stddev per channel.
struct ImageSettings {
  size_t height = 0;
  size_t width = 0;
  size_t channels = 3;  // 1 (grey, ITU-R 601-2 luma) or 3 (RGB)
  ResizeMode resize_mode = ResizeMode::kExact;
  size_t resize_height = 0;  // of kExact; at least `height` with CropMode::kInside
  size_t resize_width = 0;   // of kExact; at least `width` with CropMode::kInside
  size_t shortest_edge = 0;  // of kShortestEdge; at least both with CropMode::kInside
  ResampleFilter filter = ResampleFilter::kBilinear;
  CropMode crop = CropMode::kInside;
  TransparentPixels transparent = TransparentPixels::kShown;
  double rescale_factor = 1.0 / 255.0;
  std::vector<double> mean;    // one per channel
  std::vector<double> stddev;  // one per channel, positive
};

}  // namespace hydra::artifact
