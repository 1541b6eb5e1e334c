// A dataset that a tiny network learns in seconds: three classes of 8 x 8 images, a bright quarter
// each, with noise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "model/base/rng.h"
#include "model/builder/steps/step_context.h"

namespace hydra::builder::testing_data {

inline constexpr size_t kSide = 8;
inline constexpr size_t kClasses = 3;

inline std::string BigEndian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

inline void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Writes `<prefix>-images` and `<prefix>-labels`; returns the specification of both.
inline std::string WriteTinyIdx(const std::string& prefix, size_t count, uint64_t seed) {
  base::Rng rng(seed);
  std::string images = BigEndian(0x803) + BigEndian(static_cast<uint32_t>(count)) +
                       BigEndian(kSide) + BigEndian(kSide);
  std::string labels = BigEndian(0x801) + BigEndian(static_cast<uint32_t>(count));
  for (size_t i = 0; i < count; ++i) {
    const uint64_t label = rng.UniformBelow(kClasses);
    labels.push_back(static_cast<char>(label));
    for (size_t y = 0; y < kSide; ++y) {
      for (size_t x = 0; x < kSide; ++x) {
        const size_t quarter = 2 * (y / (kSide / 2)) + x / (kSide / 2);
        const uint64_t light = quarter == label ? 120 : 0;
        images.push_back(static_cast<char>(light + rng.UniformBelow(130)));
      }
    }
  }
  WriteBytes(prefix + "-images", images);
  WriteBytes(prefix + "-labels", labels);
  return absl::StrCat("idx:", prefix, "-images,", prefix, "-labels");
}

// Keeps every line.
class RecordingConsole final : public Console {
 public:
  void Line(absl::string_view text) override { absl::StrAppend(&text_, text, "\n"); }
  void Progress(absl::string_view, absl::Duration) override {}
  const std::string& text() const { return text_; }
  void Clear() { text_.clear(); }

 private:
  std::string text_;
};

}  // namespace hydra::builder::testing_data
