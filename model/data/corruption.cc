#include "model/data/corruption.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "model/base/check.h"

namespace hydra::data {
namespace {

constexpr std::array<double, kSeverities> kNoise = {0.05, 0.1, 0.15, 0.25, 0.35};
constexpr std::array<double, kSeverities> kBlurPixels = {0.5, 0.75, 1.0, 1.5, 2.0};
constexpr double kBlurSide = 28.0;
constexpr double kBlurReach = 4.0;  // standard deviations
constexpr std::array<double, kSeverities> kDegrees = {10.0, 20.0, 30.0, 45.0, 60.0};
constexpr std::array<double, kSeverities> kContrasts = {0.7, 0.5, 0.35, 0.2, 0.1};

uint8_t ToByte(double value) {
  return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

// [height, width]
struct Channel {
  size_t height = 0;
  size_t width = 0;
  std::vector<double> values;
  double At(size_t y, size_t x) const { return values[y * width + x]; }
};

// The index mirrored into 0..size-1, the edge repeated: ... 1 0 | 0 1 2 ...
size_t Mirror(std::ptrdiff_t i, size_t size) {
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(size);
  const std::ptrdiff_t period = ((i % (2 * n)) + 2 * n) % (2 * n);
  return static_cast<size_t>(period < n ? period : 2 * n - 1 - period);
}

std::vector<double> GaussianTaps(double sigma) {
  const auto reach = static_cast<std::ptrdiff_t>(kBlurReach * sigma + 0.5);
  std::vector<double> taps;
  double sum = 0.0;
  for (std::ptrdiff_t d = -reach; d <= reach; ++d) {
    const double distance = static_cast<double>(d) / sigma;
    taps.push_back(std::exp(-distance * distance / 2.0));
    sum += taps.back();
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

Channel Blur(const Channel& in, double sigma) {
  const std::vector<double> taps = GaussianTaps(sigma);
  const auto reach = static_cast<std::ptrdiff_t>(taps.size() / 2);
  Channel rows = in, both = in;
  for (size_t y = 0; y < in.height; ++y) {
    for (size_t x = 0; x < in.width; ++x) {
      double sum = 0.0;
      for (std::ptrdiff_t d = -reach; d <= reach; ++d) {
        sum += taps[static_cast<size_t>(d + reach)] *
               in.At(y, Mirror(static_cast<std::ptrdiff_t>(x) + d, in.width));
      }
      rows.values[y * in.width + x] = sum;
    }
  }
  for (size_t y = 0; y < in.height; ++y) {
    for (size_t x = 0; x < in.width; ++x) {
      double sum = 0.0;
      for (std::ptrdiff_t d = -reach; d <= reach; ++d) {
        sum += taps[static_cast<size_t>(d + reach)] *
               rows.At(Mirror(static_cast<std::ptrdiff_t>(y) + d, in.height), x);
      }
      both.values[y * in.width + x] = sum;
    }
  }
  return both;
}

// 0 outside.
double Bilinear(const Channel& in, double y, double x) {
  const double top = std::floor(y), left = std::floor(x);
  double sum = 0.0;
  for (const double row : {top, top + 1.0}) {
    for (const double column : {left, left + 1.0}) {
      if (row < 0.0 || column < 0.0 || row >= static_cast<double>(in.height) ||
          column >= static_cast<double>(in.width)) {
        continue;
      }
      sum += (1.0 - std::abs(y - row)) * (1.0 - std::abs(x - column)) *
             in.At(static_cast<size_t>(row), static_cast<size_t>(column));
    }
  }
  return sum;
}

Channel Rotate(const Channel& in, double degrees) {
  const double angle = degrees * std::numbers::pi / 180.0;
  const double centre_y = (static_cast<double>(in.height) - 1.0) / 2.0;
  const double centre_x = (static_cast<double>(in.width) - 1.0) / 2.0;
  Channel out = in;
  for (size_t y = 0; y < in.height; ++y) {
    for (size_t x = 0; x < in.width; ++x) {
      const double dy = static_cast<double>(y) - centre_y, dx = static_cast<double>(x) - centre_x;
      out.values[y * in.width + x] =
          Bilinear(in, centre_y + std::cos(angle) * dy + std::sin(angle) * dx,
                   centre_x - std::sin(angle) * dy + std::cos(angle) * dx);
    }
  }
  return out;
}

Channel LowerContrast(const Channel& in, double contrast) {
  double mean = 0.0;
  for (const double value : in.values) mean += value / static_cast<double>(in.values.size());
  Channel out = in;
  for (double& value : out.values) value = mean + contrast * (value - mean);
  return out;
}

void AddNoise(double sd, base::Rng& rng, Channel& channel) {
  for (double& value : channel.values) value += 255.0 * sd * rng.Normal();
}

}  // namespace

absl::string_view CorruptionName(Corruption corruption) {
  switch (corruption) {
    case Corruption::kGaussianNoise:
      return "gaussian_noise";
    case Corruption::kBlur:
      return "blur";
    case Corruption::kRotation:
      return "rotation";
    case Corruption::kContrast:
      break;
  }
  return "contrast";
}

void Corrupt(absl::Span<uint8_t> image, RasterShape shape, Corruption corruption, size_t severity,
             base::Rng& rng) {
  HYDRA_CHECK(severity >= 1 && severity <= kSeverities);
  HYDRA_CHECK(image.size() == shape.channels * shape.height * shape.width);
  const size_t level = severity - 1;
  const double side = static_cast<double>(std::min(shape.height, shape.width));
  const double degrees = corruption == Corruption::kRotation && rng.UniformBelow(2) == 1
                             ? -kDegrees[level]
                             : kDegrees[level];
  const size_t area = shape.height * shape.width;
  for (size_t c = 0; c < shape.channels; ++c) {
    const absl::Span<uint8_t> values = image.subspan(c * area, area);
    Channel channel{shape.height, shape.width, {values.begin(), values.end()}};
    if (corruption == Corruption::kGaussianNoise) AddNoise(kNoise[level], rng, channel);
    if (corruption == Corruption::kBlur)
      channel = Blur(channel, kBlurPixels[level] * side / kBlurSide);
    if (corruption == Corruption::kRotation) channel = Rotate(channel, degrees);
    if (corruption == Corruption::kContrast) channel = LowerContrast(channel, kContrasts[level]);
    std::transform(channel.values.begin(), channel.values.end(), values.begin(), ToByte);
  }
}

}  // namespace hydra::data
