// Labelled examples as a dataset lists them, before any image is read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hydra::data {

// Either `image` or `text` is set.
struct Example {
  std::string image;            // path of a PNG or JPEG file
  std::string text;             // UTF-8
  std::optional<size_t> label;  // index into class_names; unset: no label is known
};

// Either every example has a label or none has.
struct ExampleList {
  std::vector<Example> examples;
  std::vector<std::string> class_names;  // empty without labels
};

inline constexpr size_t kMaxExamples = 10'000'000;

}  // namespace hydra::data
