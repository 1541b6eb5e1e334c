#include "model/preprocess/image_resize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace hydra::preprocess {
namespace {

// 8 bits of pixel and 2 bits of head room (bicubic's coefficients sum to at most 1.3 in absolute
// value) beside the fraction in 32 bits.
constexpr int kFractionBits = 32 - 8 - 2;
constexpr size_t kMaxSide = 16384;

double Bilinear(double x) {
  x = std::abs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

// Keys (1981) with a = -0.5.
double Bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * a;
  return 0.0;
}

// The source values that make one output value.
struct Window {
  size_t first = 0;
  std::vector<int32_t> weights;  // in 2^-22
};

int32_t ToFixedPoint(double weight) {
  const double scaled = weight * (1 << kFractionBits);
  return static_cast<int32_t>(scaled < 0.0 ? scaled - 0.5 : scaled + 0.5);
}

std::vector<Window> MakeWindows(size_t in, size_t out, artifact::ResampleFilter filter) {
  const bool cubic = filter == artifact::ResampleFilter::kBicubic;
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  const double stretch = std::max(scale, 1.0);
  const double support = (cubic ? 2.0 : 1.0) * stretch;
  const double shrink = 1.0 / stretch;
  std::vector<Window> windows(out);
  for (size_t i = 0; i < out; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max(static_cast<int64_t>(center - support + 0.5), int64_t{0});
    const auto end =
        std::min(static_cast<int64_t>(center + support + 0.5), static_cast<int64_t>(in));
    std::vector<double> weights;
    double sum = 0.0;
    for (int64_t x = first; x < end; ++x) {
      const double at = (static_cast<double>(x) - center + 0.5) * shrink;
      weights.push_back(cubic ? Bicubic(at) : Bilinear(at));
      sum += weights.back();
    }
    windows[i].first = static_cast<size_t>(first);
    for (const double weight : weights) {
      windows[i].weights.push_back(ToFixedPoint(sum != 0.0 ? weight / sum : weight));
    }
  }
  return windows;
}

uint8_t Clip(int32_t sum) { return static_cast<uint8_t>(std::clamp(sum >> kFractionBits, 0, 255)); }

// One output value: source values `stride` apart, weighted.
uint8_t Weigh(const uint8_t* source, size_t stride, const Window& window) {
  int32_t sum = 1 << (kFractionBits - 1);
  for (const int32_t weight : window.weights) {
    sum += *source * weight;
    source += stride;
  }
  return Clip(sum);
}

Raster ResizeColumns(const Raster& image, const std::vector<Window>& windows) {
  Raster out{
      .height = image.height, .width = windows.size(), .channels = image.channels, .pixels = {}};
  out.pixels.reserve(out.height * out.width * out.channels);
  for (size_t y = 0; y < image.height; ++y) {
    const uint8_t* row = image.pixels.data() + y * image.width * image.channels;
    for (const Window& window : windows) {
      for (size_t c = 0; c < image.channels; ++c) {
        out.pixels.push_back(
            Weigh(row + window.first * image.channels + c, image.channels, window));
      }
    }
  }
  return out;
}

Raster ResizeRows(const Raster& image, const std::vector<Window>& windows) {
  Raster out{
      .height = windows.size(), .width = image.width, .channels = image.channels, .pixels = {}};
  const size_t stride = image.width * image.channels;
  out.pixels.reserve(out.height * stride);
  for (const Window& window : windows) {
    const uint8_t* top = image.pixels.data() + window.first * stride;
    for (size_t x = 0; x < stride; ++x) out.pixels.push_back(Weigh(top + x, stride, window));
  }
  return out;
}

Raster FitColumns(const Raster& image, size_t width, artifact::ResampleFilter filter) {
  if (width == image.width) return image;
  return ResizeColumns(image, MakeWindows(image.width, width, filter));
}

Raster FitRows(const Raster& image, size_t height, artifact::ResampleFilter filter) {
  if (height == image.height) return image;
  return ResizeRows(image, MakeWindows(image.height, height, filter));
}

// Pillow 13 takes the rows first where that drops many more rows than columns; the order shows in
// the rounding between the passes.  Found by comparing its output with both orders.
bool RowsFirst(const Raster& image, size_t height, size_t width) {
  const auto dropped = [](size_t before, size_t after) {
    return static_cast<int64_t>(before) - static_cast<int64_t>(after);
  };
  return height < image.height && dropped(image.height, height) > 2 * dropped(image.width, width);
}

}  // namespace

absl::StatusOr<Raster> Resize(const Raster& image, size_t height, size_t width,
                              artifact::ResampleFilter filter) {
  const size_t low = std::min({height, width, image.height, image.width});
  const size_t high = std::max({height, width, image.height, image.width});
  if (low < 1 || high > kMaxSide) {
    return absl::InvalidArgumentError(absl::StrCat("resize: got ", image.height, " x ", image.width,
                                                   " to ", height, " x ", width,
                                                   ", want sides of 1..", kMaxSide));
  }
  return RowsFirst(image, height, width)
             ? FitColumns(FitRows(image, height, filter), width, filter)
             : FitRows(FitColumns(image, width, filter), height, filter);
}

}  // namespace hydra::preprocess
