#include "model/train/example_set.h"

#include <algorithm>

namespace hydra::train {
namespace {

at::Tensor Rows(absl::Span<const size_t> rows) {
  return at::tensor(std::vector<int64_t>(rows.begin(), rows.end()), at::kLong);
}

at::Tensor PerChannel(const std::vector<double>& values) {
  return at::tensor(values, at::kFloat).view({1, -1, 1, 1});
}

at::Tensor Normalise(const ExampleSet& set, const at::Tensor& pixels) {
  return (pixels.to(at::kFloat) * set.rescale_factor - PerChannel(set.mean)) /
         PerChannel(set.stddev);
}

// Moves one image [c, h, w] by (down, right); what comes in from outside is 0.
at::Tensor Shift(const at::Tensor& image, int64_t down, int64_t right) {
  at::Tensor moved = at::zeros_like(image);
  const int64_t height = image.size(1) - std::abs(down), width = image.size(2) - std::abs(right);
  moved.narrow(1, std::max<int64_t>(down, 0), height)
      .narrow(2, std::max<int64_t>(right, 0), width)
      .copy_(image.narrow(1, std::max<int64_t>(-down, 0), height)
                 .narrow(2, std::max<int64_t>(-right, 0), width));
  return moved;
}

nn::TokenBatch GatherTexts(const ExampleSet& set, absl::Span<const size_t> rows) {
  nn::TokenBatch batch;
  std::vector<int64_t> ids;
  for (const size_t row : rows) {
    const std::vector<int64_t>& text = set.tokens[row];
    ids.insert(ids.end(), text.begin(), text.end());
    batch.lengths.push_back(static_cast<int64_t>(text.size()));
  }
  batch.ids = at::tensor(ids, at::kLong);
  return batch;
}

}  // namespace

nn::Input Gather(const ExampleSet& set, absl::Span<const size_t> rows) {
  if (set.texts()) return GatherTexts(set, rows);
  return Normalise(set, set.pixels.index_select(0, Rows(rows)));
}

at::Tensor GatherLabels(const ExampleSet& set, absl::Span<const size_t> rows) {
  return set.labels.index_select(0, Rows(rows));
}

nn::Input GatherAugmented(const ExampleSet& set, absl::Span<const size_t> rows,
                          const Augmentation& augmentation, base::Rng& rng) {
  if (set.texts()) return GatherTexts(set, rows);
  at::Tensor pixels = set.pixels.index_select(0, Rows(rows));
  if (augmentation.flip) {
    std::vector<int64_t> flipped;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rng.Uniform() < 0.5) flipped.push_back(static_cast<int64_t>(i));
    }
    const at::Tensor index = at::tensor(flipped, at::kLong);
    pixels.index_copy_(0, index, pixels.index_select(0, index).flip({3}));
  }
  const auto shift = static_cast<int64_t>(augmentation.shift_pixels);
  for (int64_t i = 0; shift > 0 && i < pixels.size(0); ++i) {
    const uint64_t range = static_cast<uint64_t>(2 * shift + 1);
    const int64_t down = static_cast<int64_t>(rng.UniformBelow(range)) - shift;
    const int64_t right = static_cast<int64_t>(rng.UniformBelow(range)) - shift;
    pixels[i].copy_(Shift(pixels[i], down, right));
  }
  return Normalise(set, pixels);
}

size_t MeanTokens(const ExampleSet& set) {
  if (set.tokens.empty()) return 0;
  size_t sum = 0;
  for (const std::vector<int64_t>& text : set.tokens) sum += text.size();
  return (sum + set.tokens.size() / 2) / set.tokens.size();
}

ExampleSet Select(const ExampleSet& set, absl::Span<const size_t> rows) {
  ExampleSet selected = set;
  if (set.texts()) {
    selected.tokens.clear();
    for (const size_t row : rows) selected.tokens.push_back(set.tokens[row]);
  } else {
    selected.pixels = set.pixels.index_select(0, Rows(rows));
  }
  if (set.labels.defined()) selected.labels = GatherLabels(set, rows);
  return selected;
}

}  // namespace hydra::train
