#include "model/preprocess/image_resize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/base/status_macros.h"

namespace hydra::preprocess {
namespace {

using artifact::ResampleFilter;

// 8 bits of pixel and 2 bits of head room (the coefficients of bicubic and Lanczos sum to less than
// 2 in absolute value) beside the fraction in 32 bits.
constexpr int kFractionBits = 32 - 8 - 2;
constexpr size_t kMaxSide = 16384;  // of an image and of the rectangle
// The longer side of a strip of kMaxSide x 1 whose shorter side becomes kMaxSide.
constexpr size_t kMaxVirtualSide = kMaxSide * kMaxSide;

double Box(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }

double Bilinear(double x) {
  x = std::abs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

double Sinc(double x) {
  if (x == 0.0) return 1.0;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

// Pillow's window constants have float32 precision.
double Hamming(double x) {
  x = std::abs(x);
  if (x >= 1.0) return 0.0;
  return Sinc(x) * (0.54f + 0.46f * std::cos(x * std::numbers::pi));
}

// Keys (1981) with a = -0.5.
double Bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * a;
  return 0.0;
}

double Lanczos(double x) { return x >= -3.0 && x < 3.0 ? Sinc(x) * Sinc(x / 3.0) : 0.0; }

struct Kernel {
  double (*weight)(double);
  double support;
};

Kernel KernelOf(ResampleFilter filter) {
  switch (filter) {
    case ResampleFilter::kBox:
      return {&Box, 0.5};
    case ResampleFilter::kHamming:
      return {&Hamming, 1.0};
    case ResampleFilter::kBicubic:
      return {&Bicubic, 2.0};
    case ResampleFilter::kLanczos:
      return {&Lanczos, 3.0};
    case ResampleFilter::kBilinear:
    case ResampleFilter::kNearest:  // has no kernel: NearestWindows
      break;
  }
  return {&Bilinear, 1.0};
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

Window KernelWindow(size_t in, double center, double stretch, const Kernel& kernel) {
  const double support = kernel.support * stretch;
  const double shrink = 1.0 / stretch;
  const auto first = std::max(static_cast<int64_t>(center - support + 0.5), int64_t{0});
  const auto end = std::min(static_cast<int64_t>(center + support + 0.5), static_cast<int64_t>(in));
  std::vector<double> weights;
  double sum = 0.0;
  for (int64_t x = first; x < end; ++x) {
    weights.push_back(kernel.weight((static_cast<double>(x) - center + 0.5) * shrink));
    sum += weights.back();
  }
  Window window{.first = static_cast<size_t>(first), .weights = {}};
  for (const double weight : weights) {
    window.weights.push_back(ToFixedPoint(sum != 0.0 ? weight / sum : weight));
  }
  return window;
}

// Pillow adds the scale up from pixel to pixel; the rounding decides ties, so that skipped pixels
// are added as well.  What falls behind the last source pixel stays 0.
std::vector<Window> NearestWindows(size_t in, PixelRange range, double scale) {
  std::vector<Window> windows;
  double position = scale * 0.5;
  for (size_t i = 0; i < range.first + range.count; ++i) {
    const auto source = static_cast<size_t>(position);
    if (i >= range.first) {
      windows.push_back(source < in ? Window{.first = source, .weights = {1 << kFractionBits}}
                                    : Window{});
    }
    position += scale;
  }
  return windows;
}

// Of the output values in `range`, out of `out` in all.
std::vector<Window> MakeWindows(size_t in, size_t out, PixelRange range, ResampleFilter filter) {
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  if (in == out) return NearestWindows(in, range, 1.0);
  if (filter == ResampleFilter::kNearest) return NearestWindows(in, range, scale);
  const Kernel kernel = KernelOf(filter);
  std::vector<Window> windows;
  windows.reserve(range.count);
  for (size_t i = range.first; i < range.first + range.count; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    windows.push_back(KernelWindow(in, center, std::max(scale, 1.0), kernel));
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

// Pillow 13 takes the rows first where that drops many more rows than columns; the order shows in
// the rounding between the passes.  Found by comparing its output with both orders.
bool RowsFirst(const Raster& image, size_t height, size_t width) {
  const auto dropped = [](size_t before, size_t after) {
    return static_cast<int64_t>(before) - static_cast<int64_t>(after);
  };
  return height < image.height && dropped(image.height, height) > 2 * dropped(image.width, width);
}

bool Inside(PixelRange range, size_t side) {
  return range.count >= 1 && range.count <= kMaxSide && range.count <= side &&
         range.first <= side - range.count && side <= kMaxVirtualSide;
}

absl::Status CheckPlan(const Raster& image, const ResizePlan& plan) {
  const bool source =
      Inside({0, image.height}, image.height) && Inside({0, image.width}, image.width);
  if (source && Inside(plan.rows, plan.height) && Inside(plan.columns, plan.width)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "resize: got ", image.height, " x ", image.width, " to ", plan.rows.count, " x ",
      plan.columns.count, " of ", plan.height, " x ", plan.width, ", want sides of 1..", kMaxSide));
}

}  // namespace

absl::StatusOr<Raster> ResizePart(const Raster& image, const ResizePlan& plan) {
  HYDRA_RETURN_IF_ERROR(CheckPlan(image, plan));
  if (plan.rows.count == image.height && plan.columns.count == image.width &&
      plan.height == image.height && plan.width == image.width) {
    return image;
  }
  const auto columns = MakeWindows(image.width, plan.width, plan.columns, plan.filter);
  const auto rows = MakeWindows(image.height, plan.height, plan.rows, plan.filter);
  return RowsFirst(image, plan.height, plan.width)
             ? ResizeColumns(ResizeRows(image, rows), columns)
             : ResizeRows(ResizeColumns(image, columns), rows);
}

absl::StatusOr<Raster> Resize(const Raster& image, size_t height, size_t width,
                              ResampleFilter filter) {
  return ResizePart(image, {.height = height,
                            .width = width,
                            .rows = {0, height},
                            .columns = {0, width},
                            .filter = filter});
}

}  // namespace hydra::preprocess
