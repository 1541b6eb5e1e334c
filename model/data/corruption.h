// Images under harder conditions, at five severities: what a shift of the data is measured on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/base/rng.h"

namespace hydra::data {

enum class Corruption {
  kGaussianNoise,  // sd of 5, 10, 15, 25, 35 % of full scale, independent per value
  kBlur,           // Gaussian, sd of 0.5, 0.75, 1, 1.5, 2 pixels of an image of 28, in proportion
                   // to the shorter side; edges mirrored; cut at 4 sd
  kRotation,       // 10, 20, 30, 45, 60 degrees about the centre to a side drawn at random;
                   // bilinear, black outside
  kContrast,       // 70, 50, 35, 20, 10 % of each value's distance from its channel's mean
};

inline constexpr std::array<Corruption, 4> kAllCorruptions = {
    Corruption::kGaussianNoise, Corruption::kBlur, Corruption::kRotation, Corruption::kContrast};
inline constexpr size_t kSeverities = 5;

// "gaussian_noise", "blur", "rotation", "contrast".
absl::string_view CorruptionName(Corruption corruption);

struct RasterShape {
  size_t channels = 0;
  size_t height = 0;
  size_t width = 0;
};

// Changes `image`, [channels, height, width], in place; values are rounded and clamped to 0..255.
// `severity` is 1..kSeverities.  The same generator state gives the same image.
void Corrupt(absl::Span<uint8_t> image, RasterShape shape, Corruption corruption, size_t severity,
             base::Rng& rng);

}  // namespace hydra::data
